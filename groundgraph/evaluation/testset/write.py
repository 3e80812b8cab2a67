"""Have a chat model make one question from passages."""

from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from groundgraph.evaluation.testset.attempts import Attempt
from groundgraph.evaluation.testset.prompts import MULTI, SENTENCE, SINGLE, UNANSWERABLE
from groundgraph.models import ask_json
from groundgraph.models.escape import escape
from nodes.node import cost
from nodes.prompt import fit, show
from state.reducers import Usage

PASSAGE_TOKENS = 300
"""Tokens, estimated, that a passage has in the prompt; its end is cut off, the sentence asked about stands apart."""
REPLY_TOKENS = 120

_PROMPTS = {"single": SINGLE, "multi": MULTI, "unanswerable": UNANSWERABLE}
_QUOTES = ' \t\n"“”「」'


class _Answered(BaseModel):
    answer: str  # first, so that the question is written for it
    question: str


class _Unanswered(BaseModel):
    detail: str
    question: str


@dataclass(frozen=True)
class Made:
    """A question and its answer as the model wrote them; empty where its reply held none."""

    question: str = ""
    answer: str = ""


async def write(model: str, attempt: Attempt) -> tuple[Made, Usage]:
    """Return what the model makes of an attempt, and what that cost.

    Raises:
        InputError, ModelUnavailable, ModelError: As `groundgraph.models.ask` does.
    """
    shown = [show(kept, n) for n, passage in enumerate(attempt.passages, 1) for kept in fit([passage], PASSAGE_TOKENS)]
    if attempt.sentence:
        shown.append(SENTENCE[attempt.language].format(sentence=escape(attempt.sentence)))
    messages = [SystemMessage(_PROMPTS[attempt.kind][attempt.language]), HumanMessage("\n\n".join(shown))]
    if attempt.kind == "unanswerable":
        trick, reply = await ask_json(model, messages, _Unanswered, max_tokens=REPLY_TOKENS)
        return Made(_line(trick.question) if trick else ""), cost(reply)
    made, reply = await ask_json(model, messages, _Answered, max_tokens=REPLY_TOKENS)
    return Made(_line(made.question), _line(made.answer)) if made else Made(), cost(reply)


def _line(text: str) -> str:
    return " ".join(text.split()).strip(_QUOTES)
