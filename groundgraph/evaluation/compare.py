"""Runs side by side: what each pattern scored, what it cost, and whether it differs from the baseline."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from groundgraph.errors import InputError
from groundgraph.evaluation.aggregate import aggregate
from groundgraph.evaluation.depth import at_depth, common_depth
from groundgraph.evaluation.graded import by_evaluator
from groundgraph.evaluation.metrics.cost import Cost, cost
from groundgraph.evaluation.metrics.evaluator import GradedPassage
from groundgraph.evaluation.metrics.stats import PairedDifference, paired_test
from groundgraph.evaluation.outcome import OUTCOMES, Outcome, outcome, quality
from groundgraph.evaluation.ragas_scores import RAGAS
from groundgraph.evaluation.records import Aggregate, Row, RunRecord, read_rows, read_run
from groundgraph.evaluation.scoring import JUDGED_METRICS
from state.context import CHAT_EVALUATORS

QUALITY = "quality"
"""Name of the metric that `outcome.quality` computes; see there."""

Key = tuple[str, str]
"""Id and text of a question: what tells it from all others, whichever run asked it."""


@dataclass(frozen=True, eq=False)
class Entry:
    """One pattern of one run."""

    label: str
    """The pattern, with the run's folder where several runs have it."""
    pattern: str
    folder: Path
    run: RunRecord
    rows: Sequence[Row]

    @cached_property
    def questions(self) -> dict[Key, Row]:
        """Return the rows by question."""
        return {(row.id, row.question): row for row in self.rows}

    @cached_property
    def cost(self) -> Cost:
        """Return what a question cost, failed ones left out."""
        done = [row for row in self.rows if row.error is None]
        return cost([dict(row.usage) for row in done], [row.seconds for row in done])

    @cached_property
    def outcomes(self) -> dict[Outcome, int]:
        """Return how many questions came to each end, together as many as were asked."""
        counts = Counter(outcome(row) for row in self.rows)
        return {end: counts[end] for end in OUTCOMES}

    @property
    def is_unfinished(self) -> bool:
        """Return whether questions of the run are still to be asked."""
        return len(self.rows) < self.run.questions.count

    @property
    def asked(self) -> str:
        """Return how many questions were asked, and of how many if that is not all."""
        of = f" of {self.run.questions.count}" if self.is_unfinished else ""
        return f"{len(self.rows)}{of}"

    @property
    def failed(self) -> int:
        """Return how many questions ended in an error."""
        return sum(row.error is not None for row in self.rows)

    def figure(self, metric: str, rows: Sequence[Row] | None = None) -> Aggregate | None:
        """Return the metric over these rows, by default all; None if it applies to none."""
        values = [value_of(row, metric) for row in (self.rows if rows is None else rows) if applies(row, metric)]
        return aggregate(values, self.run.min_scored) if values else None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Entries to compare, and the one that the others are set against."""

    entries: Sequence[Entry]
    baseline: Entry
    depth: int | None = None
    """Passages that retrieval metrics look at here, where runs looked at different numbers."""

    @property
    def notes(self) -> list[str]:
        """Return what bears on how to read the figures, a line each."""
        unfinished = [f"{e.label} was asked {e.asked} questions" for e in self.entries if e.is_unfinished]
        lines = [f"Unfinished: {'; '.join(unfinished)}."] if unfinished else []
        if self.depth is not None:
            lines.append(f"Retrieval metrics look at {self.depth} passages in all runs: some retrieved no more.")
        return [*lines, *self._judged_differently()]

    @property
    def runs(self) -> dict[Path, RunRecord]:
        """Return the runs by folder."""
        return {entry.folder: entry.run for entry in self.entries}

    @cached_property
    def metrics(self) -> list[str]:
        """Return the metrics that any row has, quality first, else in the order in which they were asked for."""
        asked = dict.fromkeys(name for entry in self.entries for name in entry.run.metrics)
        held = dict.fromkeys(name for entry in self.entries for row in entry.rows for name in row.metrics)
        rows = [row for entry in self.entries for row in entry.rows]
        return [name for name in {QUALITY: None, **asked, **held} if any(applies(row, name) for row in rows)]

    @cached_property
    def graded(self) -> dict[str, list[GradedPassage]]:
        """Return the passages of known grade that each evaluator scored, in all entries.

        Where runs have several chat models, an evaluator that asks one is named with it.
        """
        several = len({run.models.get("chat") for run in self.runs.values()}) > 1
        found: dict[str, set[GradedPassage]] = {}
        for entry in self.entries:
            for name, graded in by_evaluator(entry.rows).items():
                model = f" ({entry.run.models.get('chat')})" if several and name in CHAT_EVALUATORS else ""
                found.setdefault(f"{name}{model}", set()).update(graded)
        return {name: sorted(found[name]) for name in sorted(found)}

    @property
    def headline(self) -> str:
        """Return the metric that plots show and that tells the worst questions: quality, else the first there is."""
        return next(iter(self.metrics), QUALITY)

    @cached_property
    def sources(self) -> list[str]:
        """Return the sources of the questions, by name."""
        return sorted({row.source for entry in self.entries for row in entry.rows if row.source})

    def _judged_differently(self) -> Iterator[str]:
        """Yield one line on the metrics that several judges scored, if there are any."""
        judges = {
            name: {e.folder: judge_of(e.run, name) for e in self.entries if any(name in row.metrics for row in e.rows)}
            for name in self.metrics
        }
        if apart := [name for name, by in judges.items() if len({*by.values()}) > 1]:
            by = "; ".join(f"{folder} by {judge}" for folder, judge in judges[apart[0]].items())
            yield f"Scored by different judges, and so not compared: {', '.join(apart)} ({by})."

    def difference(self, entry: Entry, metric: str) -> PairedDifference | None:
        """Return how far the entry is above the baseline on the questions of both; None for the baseline itself.

        There is nothing to compare where another judge gave the verdicts.
        """
        if entry is self.baseline:
            return None
        if judge_of(entry.run, metric) != judge_of(self.baseline.run, metric):
            return paired_test([], [])
        shared = [key for key in self.baseline.questions if key in entry.questions]
        first, second = ([value_of(one.questions[key], metric) for key in shared] for one in (self.baseline, entry))
        return paired_test(first, second)


def applies(row: Row, metric: str) -> bool:
    """Tell whether the row has anything to score by the metric, scored or not."""
    if metric == QUALITY:
        return row.error is not None or quality(row) is not None
    return metric in row.metrics


def value_of(row: Row, metric: str) -> float | None:
    """Return the row's value; None if it was not scored."""
    return quality(row) if metric == QUALITY else row.metrics.get(metric)


def judge_of(run: RunRecord, metric: str) -> str | None:
    """Return who gave the verdicts that the metric is made of; None for one that needs none."""
    if metric not in JUDGED_METRICS:
        return None
    judge = run.models.get("judge") or "the embedded evaluator"
    return f"{judge} through ragas" if metric in RAGAS and "ragas" in run.models else judge


def compare(folders: Sequence[Path], baseline: str | None = None) -> Comparison:
    """Read runs and set their patterns side by side.

    Where runs retrieved different numbers of passages, retrieval metrics are made anew at the smallest of these.

    Args:
        folders: Of runs; one that is named twice counts once.
        baseline: Pattern, or label of an entry, to compare with; by default `naive`, else the first.

    Raises:
        InputError: A folder holds no run or no finished row, or there is no such baseline.
    """
    entries: list[Entry] = []
    found = {folder: _rows(folder) for folder in dict.fromkeys(folders)}
    depth = common_depth(row for rows in found.values() for row in rows)
    runs = {folder: _by_pattern(rows, depth) for folder, rows in found.items()}
    held = Counter(pattern for rows in runs.values() for pattern in rows)
    for folder, rows in runs.items():
        run = read_run(folder)
        for pattern, own in rows.items():
            label = pattern if held[pattern] == 1 else f"{pattern} ({folder})"
            entries.append(Entry(label, pattern, folder, run, own))
    return Comparison(entries, _baseline(entries, baseline), depth)


def worst(comparison: Comparison, limit: int) -> list[tuple[Key, list[tuple[Entry, Row]]]]:
    """Return the questions that came out worst over all entries by the headline, worst first, each with its rows.

    A question that failed counts as 0; one that nothing is known of, or that all got right, is left out.
    """
    metric = comparison.headline
    found: dict[Key, list[tuple[Entry, Row]]] = {}
    for entry in comparison.entries:
        for key, row in entry.questions.items():
            if applies(row, metric):
                found.setdefault(key, []).append((entry, row))
    means = {key: sum(value_of(row, metric) or 0.0 for _, row in rows) / len(rows) for key, rows in found.items()}
    ranked = sorted((mean, key) for key, mean in means.items() if mean < 1)
    return [(key, found[key]) for _, key in ranked[:limit]]


def _by_pattern(rows: Sequence[Row], depth: int | None) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.pattern, []).append(row if depth is None else at_depth(row, depth))
    return found


def _rows(folder: Path) -> list[Row]:
    rows = read_rows(folder)
    if not rows:
        read_run(folder)  # a folder that is no run at all is named as such
        raise InputError(f"run {str(folder)!r} has no finished question: let groundgraph eval finish some first")
    return rows


def _baseline(entries: Sequence[Entry], name: str | None) -> Entry:
    named = [entry for entry in entries if name is None or name in (entry.label, entry.pattern)]
    if not named:
        raise InputError(f"baseline={name!r}: no such pattern; known are {', '.join(entry.label for entry in entries)}")
    return next((entry for entry in named if name is None and entry.pattern == "naive"), named[0])
