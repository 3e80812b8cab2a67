"""Figures from verdicts, worked by hand."""

import pytest

from groundgraph.evaluation.metrics.grounding import (
    CitedStatement,
    Verdict,
    citation_precision,
    citation_recall,
    mean_precision,
    share,
)


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [
        ([True, True, False, True], 0.75),
        ([False], 0.0),
        ([True, None], 1.0),
        ([True, None, None], None),  # fewer than half
        ([None], None),
        ([], None),
    ],
)
def test_share(verdicts: list[Verdict], value: float | None) -> None:
    assert share(verdicts) == value


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [
        ([True, False, False], 1.0),
        ([False, True, True], (1 / 2 + 2 / 3) / 2),
        ([None, True], 1 / 2),
        ([False, False], 0.0),
        ([None, None, True], None),
        ([], None),
    ],
)
def test_mean_precision(verdicts: list[Verdict], value: float | None) -> None:
    assert mean_precision(verdicts) == value


UNCITED = CitedStatement(False)
GOOD = CitedStatement(True, alone=[True], without=[False])
WRONG = CitedStatement(False, alone=[False], without=[False])
ONE_NEEDLESS = CitedStatement(True, alone=[True, False], without=[False, True])
BOTH_NEEDED = CitedStatement(True, alone=[False, False], without=[False, False])


@pytest.mark.parametrize(
    ("statements", "precision", "recall"),
    [
        ([GOOD, UNCITED], 1.0, 0.5),
        ([GOOD, WRONG], 0.5, 0.5),
        ([ONE_NEEDLESS], 0.5, 1.0),
        ([BOTH_NEEDED], 1.0, 1.0),
        ([UNCITED], 0.0, 0.0),
        ([CitedStatement(None, alone=[None], without=[False])], None, None),
        ([CitedStatement(True, alone=[None], without=[True])], None, 1.0),
        ([CitedStatement(True, alone=[None], without=[False])], 1.0, 1.0),
        ([], 0.0, None),
    ],
)
def test_citations_as_alce_counts_them(
    statements: list[CitedStatement], precision: float | None, recall: float | None
) -> None:
    assert (citation_precision(statements), citation_recall(statements)) == (precision, recall)
