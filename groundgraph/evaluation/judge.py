"""The judge: a chat model that splits answers into claims and says which ones passages support.

Its replies are read with tolerance; what holds no verdict is no verdict (None), never a no.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, BeforeValidator

from groundgraph.evaluation.judge_prompts import CLAIMS, QUESTIONS, RATING, SUPPORT
from groundgraph.evaluation.metrics.grounding import Verdict
from groundgraph.evaluation.rating import HIGHEST, LOWEST, parse_rating
from groundgraph.grading.judge import judge as judge_passages
from groundgraph.grading.verdict import parse_verdict
from groundgraph.knowledge.passage import Passage
from groundgraph.models import EmbeddingModel, Reply, ask, ask_json, parse_all
from groundgraph.models.escape import escape
from nodes.node import cost
from state.reducers import Usage, add_usage

YES = 0.5
"""P(yes) from which a passage counts as useful."""
CLAIM_TOKENS = 60
"""Tokens that a claim may take in a reply, its number and quotes included."""
VERDICT_TOKENS = 16
QUESTION_TOKENS = 200

T = TypeVar("T", bound=BaseModel)


def _yes_or_no(value: Any) -> Any:
    verdict = parse_verdict(str(value))
    return value if verdict is None else {1.0: "yes", 0.0: "no"}.get(verdict, value)


class _Claim(BaseModel):
    sentence: int
    claim: str


class _Claims(BaseModel):
    claims: list[_Claim]


class _Verdict(BaseModel):
    claim: int
    supported: Annotated[Literal["yes", "no"], BeforeValidator(_yes_or_no)]


class _Verdicts(BaseModel):
    verdicts: list[_Verdict]


class _Asked(BaseModel):
    questions: list[str]
    noncommittal: bool


class ModelJudge:
    """Judges one answer by a chat model; `usage` says what that took so far."""

    reads_grades = False

    def __init__(self, model: str, embedding: EmbeddingModel, max_concurrency: int = 8) -> None:
        self.usage: Usage = {}
        self.embedding = embedding
        self._model = model
        self._max_concurrency = max_concurrency

    async def claims(self, question: str, sentences: Sequence[str]) -> list[list[str]]:
        """Return the claims that each sentence makes, each to be understood alone.

        Where the judge names none for a sentence, the sentence is its own claim.
        """
        said = f"Question: {question}\n\n<sentences>\n{escape(_numbered(sentences))}\n</sentences>"
        reply = await self._ask_json(CLAIMS, said, _Claims, CLAIM_TOKENS * 2 * len(sentences))
        found: list[list[str]] = [[] for _ in sentences]
        for claim in parse_all(reply.text, _Claim):
            if 1 <= claim.sentence <= len(sentences) and claim.claim.strip():
                found[claim.sentence - 1].append(claim.claim.strip())
        return [claims or [sentence] for claims, sentence in zip(found, sentences, strict=True)]

    async def supported(self, question: str, claims: Sequence[str], evidence: str) -> list[Verdict]:
        """Return for each claim whether `evidence` supports it; None where the judge gave no verdict."""
        said = f"<evidence>\n{escape(evidence)}\n</evidence>\n\nQuestion: {question}\n\nClaims:\n{_numbered(claims)}"
        reply = await self._ask_json(SUPPORT, said, _Verdicts, 16 + VERDICT_TOKENS * len(claims))
        return read_verdicts(reply.text, len(claims))

    async def useful(self, question: str, passages: Sequence[Passage]) -> list[Verdict]:
        """Return for each passage whether it helps to answer; None where the judge gave no verdict."""
        verdicts = await judge_passages(self._model, question, passages, max_concurrency=self._max_concurrency)
        self._count(*(verdict.reply for verdict in verdicts if verdict.reply))
        return [None if verdict.score is None else verdict.score >= YES for verdict in verdicts]

    async def relevancy(self, question: str, answer: str) -> float | None:
        """Return RAGAS's answer relevancy (arXiv:2309.15217, section 3); None where the judge wrote no question.

        The mean cosine similarity of the question and those that the judge makes up for the answer; 0 for an answer
        that does not commit itself. e5's cosines of unlike questions are about 0.8: compare, do not read as shares.
        """
        reply = await self._ask_json(QUESTIONS, f"<answer>\n{escape(answer)}\n</answer>", _Asked, QUESTION_TOKENS)
        asked = next(iter(parse_all(reply.text, _Asked)), None)
        if asked is None or not asked.questions:
            return None
        if asked.noncommittal:
            return 0.0
        target = self.embedding.embed_query(question)
        similar = [float(np.dot(target, self.embedding.embed_query(made_up))) for made_up in asked.questions]
        return min(1.0, max(0.0, sum(similar) / len(similar)))

    async def correctness(self, question: str, answer: str, golds: Sequence[str]) -> float | None:
        """Return how well the answer agrees with the gold answers, the judge's 1 to 5 as [0, 1]."""
        said = f"Question: {question}\n\nReference:\n{_numbered(golds)}\n\n<answer>\n{escape(answer)}\n</answer>"
        reply = await self.ask([SystemMessage(RATING), HumanMessage(said)], VERDICT_TOKENS)
        rating = parse_rating(reply.text)
        return None if rating is None else (rating - LOWEST) / (HIGHEST - LOWEST)

    async def ask(self, messages: Sequence[BaseMessage], max_tokens: int, temperature: float = 0.0) -> Reply:
        """Return the judge's reply, and count what it cost."""
        reply = await ask(self._model, messages, max_tokens=max_tokens, temperature=temperature)
        self._count(reply)
        return reply

    async def _ask_json(self, instruction: str, said: str, schema: type[BaseModel], max_tokens: int) -> Reply:
        messages = [SystemMessage(instruction), HumanMessage(said)]
        _, reply = await ask_json(self._model, messages, schema, max_tokens=max_tokens)
        self._count(reply)
        return reply

    def _count(self, *replies: Reply) -> None:
        for reply in replies:
            self.usage = add_usage(self.usage, cost(reply))


def read_verdicts(text: str, count: int) -> list[Verdict]:
    """Return `count` verdicts from a judge's reply, None for each that is missing, cut off or contradicted.

    Each is a JSON object with `claim`, counted from 1, and `supported`; a lone verdict may be a mere word.
    """
    found: dict[int, set[bool]] = {}
    for verdict in parse_all(text, _Verdict):
        found.setdefault(verdict.claim, set()).add(verdict.supported == "yes")
    if count == 1 and not found:
        score = parse_verdict(text)
        return [None if score not in {0.0, 1.0} else score == 1.0]
    return [found[n].pop() if len(found.get(n, ())) == 1 else None for n in range(1, count + 1)]


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(texts, start=1))
