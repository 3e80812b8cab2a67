"""The metrics of RAGAS: ours and those of the package `ragas` agree on the same rows, given the same judge."""

import json
import random
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from groundgraph.errors import InputError, ModelError
from groundgraph.evaluation.judge import ModelJudge
from groundgraph.evaluation.plan import plan
from groundgraph.evaluation.questions import Questions
from groundgraph.evaluation.ragas_scores import RAGAS, RagasJudge
from groundgraph.evaluation.records import PassageRecord, QuestionsRecord, Row
from groundgraph.evaluation.scoring import score
from state.context import Context
from tests.embedder import BagEmbedder
from tests.endpoint import Endpoint, Request

ROWS = 30
FACTS = [f"The {thing} weighs {n} grams." for n, thing in enumerate(["cup", "pen", "key", "hat", "map", "fan"], 10)]


def rows() -> Iterator[Row]:
    """Answers of some facts, from passages that hold some facts; every third is not to be relied on."""
    draw = random.Random(7)
    for number in range(ROWS):
        passages = [" ".join(draw.sample(FACTS, 2)) + draw.choice(["", " Useful."]) for _ in range(3)]
        said = draw.sample(FACTS, draw.randint(1, 4)) + (["Perhaps not."] if number % 3 == 0 else [])
        yield Row(
            id=str(number),
            language="en",
            pattern="naive",
            question="What does the cup weigh?",
            answer=" ".join(f"{fact[:-1]} [1][2][3]." if number % 2 else fact for fact in said),
            answers=[" ".join(draw.sample(FACTS, 3))],
            passages=[PassageRecord(source=f"{n}.md", locator="p. 1", text=text) for n, text in enumerate(passages)],
        )


def say(request: Request) -> str:
    """Judge by what stands in the prompt, whichever of the two asks: a claim is true if it stands in the evidence."""
    prompt = "\n".join(message["content"] for message in request["messages"])
    if "Now perform the same" in prompt:
        return json.dumps(to_ragas(json.loads(prompt.rpartition("input: ")[2].partition("\nOutput:")[0])))
    if "<sentences>" in prompt:
        return json.dumps(
            {"claims": [{"sentence": n, "claim": text} for n, text in numbered(between(prompt, "sentences"))]}
        )
    if "<evidence>" in prompt:
        evidence = between(prompt, "evidence")
        claims = numbered(prompt.rpartition("Claims:\n")[2])
        return json.dumps(
            {"verdicts": [{"claim": n, "supported": "yes" if text in evidence else "no"} for n, text in claims]}
        )
    if "<answer>" in prompt:
        return json.dumps(
            {"questions": [asked_for(between(prompt, "answer"))] * 3, "noncommittal": evades(between(prompt, "answer"))}
        )
    return "yes" if "Useful" in between(prompt, "passage") else "no"


def to_ragas(given: dict[str, Any]) -> dict[str, Any]:
    if "statements" in given:
        return {
            "statements": [
                {"statement": claim, "reason": "", "verdict": int(claim in given["context"])}
                for claim in given["statements"]
            ]
        }
    if "response" in given:
        return {"question": asked_for(given["response"]), "noncommittal": int(evades(given["response"]))}
    if "context" not in given:
        return {"statements": sentences(given["answer"])}
    if given["context"].count("weighs") == 2:  # one passage, not all three
        return {"reason": "", "verdict": int("Useful" in given["context"])}
    return {
        "classifications": [
            {"statement": claim, "reason": "", "attributed": int(claim in given["context"])}
            for claim in sentences(given["answer"])
        ]
    }


def between(prompt: str, tag: str) -> str:
    return prompt.rpartition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0]


def numbered(lines: str) -> list[tuple[int, str]]:
    return [(int(n), text) for n, _, text in (line.partition(". ") for line in lines.strip().splitlines())]


def sentences(text: str) -> list[str]:
    return [f"{part.strip()}." for part in text.split(".") if part.strip()]


def asked_for(answer: str) -> str:
    return f"What does the {answer.split()[1]} weigh?"


def evades(answer: str) -> bool:
    return "Perhaps" in answer


@pytest.mark.skipif(find_spec("ragas") is None, reason="ragas is an extra with its own constraints")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
async def test_ours_agree_with_the_package_on_30_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding = BagEmbedder(64)
    with Endpoint(reply=say) as endpoint:
        endpoint.configure(monkeypatch)
        for row in rows():
            ours = await score(row, RAGAS, ModelJudge("openai:judge", embedding), k=5)
            theirs = await score(row, RAGAS, RagasJudge("openai:judge", embedding), k=5)
            assert not theirs.unscored and theirs.judge_usage["model_calls"] >= 5
            assert ours.metrics == pytest.approx(theirs.metrics, abs=1e-6), row


@pytest.fixture
def no_questions() -> Questions:
    return Questions((), QuestionsRecord(file="none.jsonl", sha256="", count=0))


def test_ragas_needs_a_judge(no_questions: Questions) -> None:
    with pytest.raises(InputError, match="--ragas needs a judge: name a model with --judge"):
        plan(no_questions, ["naive"], Context(), ragas=True)


@pytest.mark.skipif(find_spec("ragas") is not None, reason="ragas is installed")
def test_without_the_package_the_remedy_is_said(no_questions: Questions) -> None:
    with pytest.raises(ModelError, match=r"--ragas needs the package ragas .*constraints-ragas\.txt"):
        plan(no_questions, ["naive"], Context(), judge="openai:judge", ragas=True)
