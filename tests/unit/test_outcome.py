"""What became of a question."""

import pytest

from groundgraph.evaluation.outcome import OUTCOMES, outcome, quality
from groundgraph.evaluation.records import PassageRecord, Row
from tests.runs import made_row, refusal

GOLD = {"rel": {"gold.md": 2}, "answerable": True}
READ = [PassageRecord(source="gold.md", locator="", text="…")]

CASES = {
    "answered": made_row("a"),
    "rightly refused": refusal("a", answerable=False, answers=[]),
    "not retrieved": made_row("a", answer="nonsense", retrieved=["other.md"], **GOLD),
    "not read": made_row("a", answer="nonsense", retrieved=["gold.md"], **GOLD),
    "wrongly refused": refusal("a", retrieved=["gold.md"], **GOLD),
    "wrong": made_row("a", answer="nonsense", retrieved=["gold.md"], passages=READ, **GOLD),
    "not refused": made_row("a", answerable=False, answers=[]),
    "failed": made_row("a", answer="", error="the endpoint is down"),
    "not judged": made_row("a", answers=[], answerable=None),
}


def test_every_outcome_has_its_case() -> None:
    assert tuple(CASES) == OUTCOMES


@pytest.mark.parametrize(("end", "row"), CASES.items())
def test_outcome(end: str, row: Row) -> None:
    assert outcome(row) == end


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (made_row("a"), 1),
        (made_row("a", answers=["answer of four words"]), 1 / 4),
        (refusal("a"), 0),
        (refusal("a", answerable=False), 1),
        (made_row("a", answerable=False), 0),
        (made_row("a", answers=[]), None),
        (refusal("a", answers=[], answerable=None), None),
        (made_row("a", error="timeout"), None),
    ],
)
def test_quality(row: Row, value: float | None) -> None:
    assert quality(row) == value


def test_half_a_gold_answer_is_wrong() -> None:
    assert outcome(made_row("a", answers=["330 metres"], answer="It is 100 metres tall.")) == "wrong"


@pytest.mark.parametrize("known", [{"answerable": True}, {"answerable": None, "rel": {"gold.md": 2}}])
def test_without_a_gold_answer_it_was_answered_or_refused(known: dict[str, object]) -> None:
    assert outcome(made_row("a", answers=[], retrieved=["gold.md"], **known)) == "answered"
    assert outcome(refusal("a", answers=[], retrieved=["gold.md"], **known)) == "wrongly refused"
