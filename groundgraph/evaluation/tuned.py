"""What tuning found, in words: the profile, its header, and the threshold map."""

from collections.abc import Sequence
from pathlib import Path

from groundgraph.evaluation import wording
from groundgraph.evaluation.pages import check_packages, write_page
from groundgraph.evaluation.profile import profile_text
from groundgraph.evaluation.thresholds import Decision
from groundgraph.evaluation.tune import OBJECTIVES, Choice, ThresholdMap, Tuner

NOISE = "The gain is within noise on the held-out questions: the defaults may serve as well."
NOTHING_TRIED = "Nothing could be tried, so there is no profile: what each stage needs stands above."
NO_GAIN = "Nothing that was tried is better than the settings given."


def verdict(choices: Sequence[Choice]) -> str:
    """Return what the gains are worth, in a sentence."""
    if all(choice.skipped for choice in choices):
        return NOTHING_TRIED
    changes = [choice for choice in choices if choice.settings]
    if not changes:
        return NO_GAIN
    lost = [choice for choice in changes if not choice.gain.is_noise and (choice.gain.difference or 0) < 0]
    if lost:
        stages = ", ".join(choice.stage for choice in lost)
        return f"On the held-out questions the choice of {stages} is worse than what it replaced: do not use it."
    proven = [choice.stage for choice in changes if not choice.gain.is_noise]
    return f"Better on the held-out questions beyond chance: {', '.join(proven)}." if proven else NOISE


def summary(choice: Choice) -> str:
    """Return one line on a stage."""
    if choice.skipped:
        return f"{choice.stage}: skipped, {choice.skipped}"
    of = f"{choice.tried} tried on {choice.questions} questions"
    if not choice.settings:
        held = f"{wording.number(choice.before.mean)} on {choice.before.n} held-out questions"
        return f"{choice.stage}: unchanged, {of}; {OBJECTIVES[choice.stage]} {held}"
    figures = f"{wording.number(choice.before.mean)} → {wording.number(choice.after.mean)}"
    return (
        f"{choice.stage}: {_settings(choice)}; {of}; {OBJECTIVES[choice.stage]} {figures} "
        f"on {choice.before.n} held-out questions: {wording.difference(choice.gain)}"
    )


def profile(tuner: Tuner, command: str, sha256: str, file: str) -> str:
    """Return the profile, which says above its settings where they come from and what they are worth."""
    asked = f"{len(tuner.tuning)} questions to choose on, {len(tuner.held_out)} held out"
    head = [f"Tuned for {tuner.pattern} by: {command}", f"Questions: {file}, SHA-256 {sha256}; {asked}."]
    return profile_text(tuner.profile, [*head, *map(summary, tuner.choices), verdict(tuner.choices)])


def map_lines(shown: ThresholdMap) -> list[str]:
    """Return the threshold map as lines of text: θ low downwards, θ high across, `[ ]` as it was, `*` chosen.

    Below stand what answers and refusals are worth at both pairs, and what they cost.
    """
    decisions, now, chosen, _ = shown
    lows, highs = sorted({one.low for one in decisions}, reverse=True), sorted({one.high for one in decisions})
    found = {(one.low, one.high): one.quality for one in decisions}
    lines = ["θ low \\ θ high" + "".join(f"   {high:<5g}" for high in highs).rstrip()]
    for low in lows:
        cells = []
        for high in highs:
            value, pair = wording.number(found.get((low, high))), (low, high)
            cell = f"[{value}]" if pair == now else f" {value}"
            cells.append(f"{cell}{'*' if pair == chosen else ''}".ljust(8))
        lines.append(f"{low:>14g}  {''.join(cells).rstrip()}")
    at = {(one.low, one.high): one for one in decisions}
    return [*lines, f"[ ] {worth(at[now], web=shown.web)}", f"*   {worth(at[chosen], web=shown.web)}"]


def worth(decision: Decision, *, web: bool) -> str:
    """Return what a pair of thresholds is worth and what it costs, in a line."""
    searches = f" and {decision.uncertain:.2f} web searches" if web else ""
    return (
        f"{wording.number(decision.answered)} answered, {wording.number(decision.refused)} refused; "
        f"{decision.kept:.1f} passages{searches} a question"
    )


def write_tuning_report(tuner: Tuner, path: Path, text: str) -> None:
    """Write a page of the stages, the threshold map and the profile.

    Raises:
        InputError: matplotlib or Jinja2 is not installed.
    """
    check_packages()
    from groundgraph.evaluation.plots import threshold_costs, threshold_grid

    write_page(
        "tuning.html",
        path,
        tuner=tuner,
        objectives=OBJECTIVES,
        plot=threshold_grid(*tuner.map[:3]) if tuner.map else None,
        costs=threshold_costs(*tuner.map) if tuner.map else None,
        profile=text,
        verdict=verdict(tuner.choices),
    )


def _settings(choice: Choice) -> str:
    return ", ".join(f"{name}={value}" for name, value in choice.settings.items())
