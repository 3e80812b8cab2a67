"""Write the training record as the Markdown tables of `docs/evaluator.md`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

NONE = "–"


def tables(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables of a training record, by title."""
    return {
        "Measured quality": _quality(record["among"]["test"]),
        "Tiers": _tiers(record["tiers"]),
        "Cross-validation": _validation(record["cross_validation"]),
        "Sources that were not seen": _validation(record["unseen_source"]),
    }


def beside(record: Mapping[str, Any]) -> str:
    """Return the test questions' figures by the new weights, each row above that by the weights in use."""
    new, used = record["among"]["test"], record["in_use"]["figures"]
    return _quality({f"{name}, {of}": row[name] for name in new for of, row in (("new", new), ("in use", used))})


def _quality(figures: Mapping[str, Mapping[str, float | None]]) -> str:
    shares = ("answered", "refused_unanswerable", "refused_withheld", "refused_foreign")
    titles = ("Data set", "AUC", "answered", "refused, unanswerable", "refused, answer withheld", "refused, foreign")
    rows = ([name, _figure(row["auc"]), *(_percent(row[share]) for share in shares)] for name, row in figures.items())
    return _table(titles, rows)


def _tiers(tiers: Mapping[str, Mapping[str, int]]) -> str:
    rows = []
    for name, counts in tiers.items():
        total = sum(counts.values())
        rows.append([name, *(f"{count} ({_percent(count / total)})" for count in counts.values()), str(total)])
    return _table(("Passage", "Correct", "Ambiguous", "Incorrect", "All"), rows)


def _validation(figures: Mapping[str, Mapping[str, Any]]) -> str:
    titles = ("Data set", "Pairs", "Groups", "AUC", "AUC, similarity alone", "Calibration error")
    rows = (
        [
            name,
            str(row["pairs"]),
            str(row["groups"]),
            _interval(row, "auc"),
            _figure(row["auc_similarity"]),
            _interval(row, "ece"),
        ]
        for name, row in figures.items()
    )
    return _table(titles, rows)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, ["---"] * len(titles), *rows))


def _interval(row: Mapping[str, Any], name: str) -> str:
    if row.get(name) is None:
        return NONE
    low, high = row[f"{name}_interval"]
    return f"{_figure(row[name])} ({_figure(low)} to {_figure(high)})"


def _figure(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{value:.0%}".replace("%", " %")
