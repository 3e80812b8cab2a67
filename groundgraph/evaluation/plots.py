"""Plots as inline SVG, readable in black and white.

Text stays text, set by the browser in its own fonts, so Chinese needs none here. What documents or people named is
drawn as a placeholder of about its width, and put in, escaped, when the drawing is done.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup, escape

from groundgraph.evaluation.metrics.evaluator import Bin
from groundgraph.evaluation.records import Aggregate
from groundgraph.evaluation.thresholds import Decision

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^vP*X<>"
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo", "+++", "---", "|||", "***")
GREYS = ("0.15", "0.45", "0.7", "0.3", "0.6", "0.85")
_INK = "0.1"
_STYLE: Any = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.prop_cycle": f"cycler('color', ['{_INK}'])",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
}
_OWN_ID = re.compile(r' id="[A-Za-z.\d]+_\d+"')
"""Ids of parts, which nothing refers to, and which would come twice in a page of several plots."""


class Point(NamedTuple):
    """One pattern's quality and cost."""

    label: str
    quality: Aggregate
    costs: Sequence[float]


class _Labels:
    """Placeholders for texts from outside."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def put(self, text: str, longest: int = 40) -> str:
        """Return a placeholder for the text, cut if it is too long; about as wide, one of its kind."""
        shown = text if len(text) <= longest else f"{text[: longest - 1]}…"
        width = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in shown)
        self._texts.append(shown)
        return f"@{len(self._texts) - 1:03}@".ljust(width, "x")

    def fill(self, svg: str) -> str:
        """Return the drawing with the texts in place of their placeholders."""
        return re.sub(r"@(\d{3,})@x*", lambda match: str(escape(self._texts[int(match[1])])), svg)


Draw = Callable[[Sequence["Axes"], _Labels], None]
"""Draws into the panels of a figure."""


def quality_cost(points: Sequence[Point], costs: Sequence[str], metric: str) -> Markup:
    """Return quality, with its interval, against each kind of cost, one point a pattern."""

    def draw(panels: Sequence["Axes"], labels: _Labels) -> None:
        for place, (axes, name) in enumerate(zip(panels, costs, strict=True)):
            for point, marker, grey in zip(points, cycle(MARKERS), cycle(GREYS), strict=False):
                if point.quality.mean is None:
                    continue
                axes.errorbar(
                    point.costs[place],
                    point.quality.mean,
                    yerr=_spreads([point.quality]),
                    fmt=marker,
                    color=grey,
                    markersize=9,
                    capsize=4,
                    label=labels.put(point.label),
                )
            axes.set(xlabel=name, ylim=(-0.03, 1.03))
            axes.set_xlim(left=0)
            axes.grid(color="0.9")
            axes.set_axisbelow(True)
        panels[0].set_ylabel(labels.put(metric))
        panels[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)

    return _svg("Quality against cost by pattern", draw, (2.9 * len(costs) + 1.6, 3.2), len(costs))


def source_bars(bars: Mapping[str, Sequence[Aggregate | None]], patterns: Sequence[str], metric: str) -> Markup:
    """Return quality by source: a group of bars a source, one bar a pattern in the order of `patterns`."""
    height = 0.8 / len(patterns)

    def draw(panels: Sequence["Axes"], labels: _Labels) -> None:
        (axes,) = panels
        for n, (pattern, hatch, grey) in enumerate(zip(patterns, cycle(HATCHES), cycle(("0.92", "0.6")), strict=False)):
            found = [(row, values[n]) for row, values in enumerate(bars.values())]
            held = [(row + (n - (len(patterns) - 1) / 2) * height, one) for row, one in found if one is not None]
            if not held:
                continue
            axes.barh(
                [row for row, _ in held],
                [one.mean or 0.0 for _, one in held],
                height,
                xerr=_spreads([one for _, one in held]),
                color=grey,
                edgecolor=_INK,
                hatch=hatch,
                label=labels.put(pattern),
                error_kw={"ecolor": _INK, "capsize": 2, "lw": 1},
            )
        axes.set(xlim=(0, 1.02), xlabel=labels.put(metric), yticks=range(len(bars)))
        axes.set_yticklabels([labels.put(source, 28) for source in bars])
        axes.invert_yaxis()
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)

    rows = len(bars) * len(patterns)
    return _svg("Quality by source and pattern", draw, (8.0, 1.0 + 0.2 * rows + 0.15 * len(bars)))


def calibration(bins: Sequence[Bin], evaluator: str) -> Markup:
    """Return the share of relevant passages against the evaluator's mean score, each bin with its passages counted."""

    def draw(panels: Sequence["Axes"], labels: _Labels) -> None:
        (axes,) = panels
        axes.plot([0, 1], [0, 1], "--", color="0.6", label="calibrated")
        axes.plot([b.score for b in bins], [b.relevant for b in bins], "o-", color=_INK, label="evaluator")
        for one in bins:
            axes.annotate(f"{one.passages:,}", one[:2], textcoords="offset points", xytext=(0, 8), ha="center", size=8)
        axes.set(xlabel="mean score", ylabel="share of relevant passages", xlim=(0, 1), ylim=(-0.03, 1.08))
        axes.legend(loc="upper left", frameon=False)

    return _svg(f"Calibration curve of the evaluator {evaluator}", draw, (4.6, 3.8))


def threshold_grid(decisions: Sequence[Decision], now: tuple[float, float], best: tuple[float, float]) -> Markup:
    """Return the quality of every pair of thresholds as a grid of numbers, the present and the best pair framed."""
    lows, highs = sorted({one.low for one in decisions}), sorted({one.high for one in decisions})

    def draw(panels: Sequence["Axes"], labels: _Labels) -> None:
        (axes,) = panels
        for one in decisions:
            x, y, value = highs.index(one.high), lows.index(one.low), one.quality or 0.0
            axes.add_patch(_box(x, y, facecolor=f"{1 - 0.55 * value:.3f}", edgecolor="white"))
            axes.text(x, y, f"{value:.2f}", ha="center", va="center", color="black", size=9)
        for pair, line in ((best, "--"), (now, "-")):
            x, y = highs.index(pair[1]), lows.index(pair[0])
            axes.add_patch(_box(x, y, fill=False, edgecolor="black", lw=2.5, ls=line, clip_on=False))
        axes.set(xlim=(-0.5, len(highs) - 0.5), ylim=(-0.5, len(lows) - 0.5), xlabel="θ high", ylabel="θ low")
        axes.set_xticks(range(len(highs)), [f"{value:g}" for value in highs])
        axes.set_yticks(range(len(lows)), [f"{value:g}" for value in lows])

    return _svg("Quality of decisions by threshold", draw, (0.62 * len(highs) + 1.2, 0.42 * len(lows) + 1))


def threshold_costs(
    decisions: Sequence[Decision], now: tuple[float, float], best: tuple[float, float], web: bool
) -> Markup:
    """Return answers and refusals of every pair of thresholds against its costs, a panel a cost."""
    costs: dict[str, Callable[[Decision], float]] = {"passages a question": lambda one: one.kept}
    if web:
        costs["web searches a question"] = lambda one: one.uncertain
    shares: dict[str, tuple[str, Callable[[Decision], float]]] = {
        "answerable, answered": ("o", lambda one: one.answered or 0.0),
        "others, refused": ("s", lambda one: one.refused or 0.0),
    }

    def draw(panels: Sequence["Axes"], labels: _Labels) -> None:
        for axes, (name, cost) in zip(panels, costs.items(), strict=True):
            for share, (marker, value) in shares.items():
                xs, ys = [cost(one) for one in decisions], [value(one) for one in decisions]
                axes.scatter(xs, ys, 24, marker=marker, facecolors="none", edgecolors="0.6", label=share)
                for pair, size, face in ((now, 36, _INK), (best, 110, "none")):
                    one = next(one for one in decisions if (one.low, one.high) == pair)
                    axes.scatter([cost(one)], [value(one)], size, marker=marker, facecolors=face, edgecolors=_INK)
            axes.set(xlabel=name, ylim=(-0.05, 1.05))
            axes.set_xlim(left=0)
            axes.grid(color="0.9")
            axes.set_axisbelow(True)
        panels[0].set_ylabel("share of questions")
        panels[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)

    return _svg("Answers and refusals against cost by threshold", draw, (2.9 * len(costs) + 2.4, 3.2), len(costs))


def _box(x: float, y: float, **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, **style)


def _spreads(means: Sequence[Aggregate]) -> list[list[float]]:
    """Return how far each interval reaches below its mean, and above it; 0 where there is no interval."""
    spans = [(one.mean or 0.0, one.low, one.high) for one in means]
    return [
        [0.0 if low is None else max(0.0, mean - low) for mean, low, _ in spans],
        [0.0 if high is None else max(0.0, high - mean) for mean, _, high in spans],
    ]


def _svg(
    title: str, draw: Callable[[Sequence["Axes"], _Labels], None], size: tuple[float, float], n: int = 1
) -> Markup:
    """Return a drawing of `n` panels side by side, with its title as its alternative text."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    labels, out = _Labels(), StringIO()
    with rc_context({**_STYLE, "svg.hashsalt": title}):
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(1, n, squeeze=False, sharey=True)[0]
        draw(panels, labels)
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    drawing = out.getvalue()
    drawing = _OWN_ID.sub("", drawing[drawing.index("<svg") :])
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, count=1, flags=re.DOTALL)
    head, body = drawing.split(">", 1)
    return Markup(f'{head} role="img">\n <title>{escape(title)}</title>{labels.fill(body)}')
