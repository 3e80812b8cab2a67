"""The figures of `benchmarks.patterns` as Markdown tables."""

from collections.abc import Iterable

from rich.table import Table

from benchmarks.report import markdown_table
from groundgraph.evaluation.compare import QUALITY, Comparison, Entry, value_of
from groundgraph.evaluation.metrics.stats import paired_test
from groundgraph.evaluation.wording import difference, figure, number, tokens

RECALL = "recall@5"
CONTEXT = "context_recall"
"""Share of the relevant passages among those that the answer was written from."""
SCORED = (QUALITY, "f1", "containment", "false_refusal", "right_refusal", "citation_precision")


def metric_table(metric: str, found: Comparison) -> Table:
    """Return a metric with its 95 % interval: sources down, runs across."""
    table = markdown_table(metric, "source", "questions", *(entry.folder.name for entry in found.entries))
    for source, language in _corpora(found):
        rows = [[row for row in e.rows if (row.source, row.language) == (source, language)] for e in found.entries]
        asked = [row for row in rows[0] if value_of(row, metric) is not None]
        figures = (figure(entry.figure(metric, own)) for entry, own in zip(found.entries, rows, strict=True))
        table.add_row(f"{source} {language}", str(len(asked)), *figures)
    return table


def difference_table(found: Comparison) -> Table:
    """Return by how much the others' recall is above the baseline's on the same questions, with its p."""
    others = [entry for entry in found.entries if entry is not found.baseline]
    table = markdown_table(f"{RECALL}, beyond {found.baseline.pattern}", "source", *(e.pattern for e in others))
    for corpus in _corpora(found):
        keys = [key for key, row in found.baseline.questions.items() if (row.source, row.language) == corpus]
        table.add_row(" ".join(corpus), *(_beyond(found.baseline, entry, keys) for entry in others))
    return table


def answer_table(found: Comparison) -> Table:
    """Return what the answers scored and cost, a run a row, and how far its quality is from the baseline's."""
    costs = ("calls", "tokens read", "tokens written", "p50 s", "p95 s")
    table = markdown_table("Answers", "pattern", "questions", *SCORED, *costs, f"{QUALITY}, beyond naive")
    for entry in found.entries:
        cost = entry.cost
        table.add_row(
            entry.folder.name,
            str(len(entry.rows)),
            *(figure(entry.figure(metric)) for metric in SCORED),
            number(cost.model_calls, 1),
            *(tokens(count, cost.estimated_calls, 1) for count in (cost.prompt_tokens, cost.completion_tokens)),
            *(number(value, 1) for value in (cost.p50, cost.p95)),
            difference(found.difference(entry, QUALITY)),
        )
    return table


def _corpora(found: Comparison) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row.source, row.language) for row in found.baseline.rows if RECALL in row.metrics))


def _beyond(baseline: Entry, entry: Entry, keys: Iterable[tuple[str, str]]) -> str:
    shared = [key for key in keys if key in entry.questions]
    first, second = ([value_of(one.questions[key], RECALL) for key in shared] for one in (baseline, entry))
    return difference(paired_test(first, second))
