"""What tuning found, in words: the profile, its header, and the threshold map."""

from collections.abc import Sequence
from pathlib import Path

from groundgraph.evaluation import wording
from groundgraph.evaluation.asker import calls_model
from groundgraph.evaluation.choice import OBJECTIVES, Choice, ThresholdMap, Whole
from groundgraph.evaluation.metrics.stats import Interval, PairedDifference
from groundgraph.evaluation.objectives import QUALITY, is_judged
from groundgraph.evaluation.pages import check_packages, write_page
from groundgraph.evaluation.profile import Settings, profile_text
from groundgraph.evaluation.records import ExperimentRecord
from groundgraph.evaluation.thresholds import Decision
from groundgraph.evaluation.tune import ENOUGH, Tuner

NOISE = "The gain is within noise on the held-out questions: the defaults may serve as well."
NOTHING_TRIED = "Nothing could be tried, so there is no profile: what each stage needs stands above."
NO_GAIN = "Nothing that was tried is better than the settings given."
WORSE = "All that was chosen is worse together, beyond chance, than the settings given: the profile keeps these."


def verdict(choices: Sequence[Choice], whole: Sequence[Whole] = ()) -> str:
    """Return what the gains are worth."""
    if all(choice.skipped for choice in choices):
        return NOTHING_TRIED
    if any(one.gain.is_worse for one in whole):
        return WORSE
    changes = [choice for choice in choices if choice.settings]
    said = {
        "Better on the held-out questions beyond chance": [one for one in changes if not one.gain.is_noise],
        "Cheaper at a quality that does not differ there beyond chance": [one for one in changes if one.is_cheaper],
        "Kept as it was, since the best on the tuning questions is worse on the held-out ones": [
            one for one in choices if one.rejected
        ],
    }
    lines = [f"{text}: {', '.join(one.stage for one in found)}." for text, found in said.items() if found]
    noise = [one for one in changes if one.gain.is_noise and not one.is_cheaper]
    if noise and lines:
        lines.append(f"Within noise: {', '.join(one.stage for one in noise)}.")
    return " ".join(lines) or (NOISE if noise else NO_GAIN)


def summary(choice: Choice) -> str:
    """Return one line on a stage."""
    if choice.skipped:
        return f"{choice.stage}: skipped, {choice.skipped}"
    of = f"{choice.tried} tried on {choice.questions} questions"
    worth = _worth(OBJECTIVES[choice.stage], choice.before, choice.after, choice.gain)
    if choice.rejected:
        best = f"{_settings(choice.rejected)} did best on these, but not on others"
        return f"{choice.stage}: unchanged, {of}; {best}: {worth}"
    if not choice.settings:
        held = f"{wording.number(choice.before.mean)} on {choice.before.n} held-out questions"
        return f"{choice.stage}: unchanged, {of}; {OBJECTIVES[choice.stage]} {held}"
    cheaper = "; cheaper" if choice.is_cheaper else ""
    return f"{choice.stage}: {_settings(choice.settings)}; {of}; {worth}{cheaper}"


def together(tuner: Tuner) -> list[str]:
    """Return a line on each measure of all that was chosen, and one on answers if they were not measured."""
    lines = [f"all together: {_worth(*one)}" for one in tuner.whole]
    if tuner.is_combined and all(one.objective != QUALITY for one in tuner.whole):
        lines.append(f"all together: answers not measured, {_lack(tuner)}")
    return lines


def _lack(tuner: Tuner) -> str:
    """Return what it takes to measure the answers."""
    if sum(map(is_judged, tuner.held_out)) < ENOUGH:
        return f"it needs {ENOUGH} held-out questions with answers, or that the documents do not answer"
    if calls_model(tuner.pattern, [tuner.context]):
        return "give more model calls with --budget"
    return f"only few could be given (a failure: {tuner.asker.failure})"


def _worth(objective: str, before: Interval, after: Interval, gain: PairedDifference) -> str:
    figures = f"{wording.number(before.mean)} → {wording.number(after.mean)}"
    return f"{objective} {figures} on {gain.n} held-out questions: {wording.difference(gain)}"


def profile(tuner: Tuner, command: str, record: ExperimentRecord, folder: Path) -> str:
    """Return the profile, which says above its settings where they come from and what they are worth.

    Args:
        tuner: After its run.
        command: That it was run by.
        record: What it was made with and what it cost.
        folder: Where the record is.
    """
    questions = record.questions
    asked = f"{len(tuner.tuning)} questions to choose on, {len(tuner.held_out)} held out"
    head = [
        f"Tuned for {tuner.pattern} by: {command}",
        f"Questions: {questions.file}, SHA-256 {questions.sha256}; {asked}.",
        *made_with(record),
        f"Record: {folder}",
    ]
    found = [*map(summary, tuner.choices), *together(tuner), verdict(tuner.choices, tuner.whole)]
    return profile_text(tuner.profile, [*head, *found])


def made_with(record: ExperimentRecord) -> list[str]:
    """Return lines on the collections, the models, the versions and the cost of an experiment."""
    cost = record.cost
    spent = f"{cost.model_calls:,} model calls, {cost.prompt_tokens:,} tokens read, {cost.completion_tokens:,} written"
    models = ", ".join(f"{use} {name}" for use, name in record.models.items() if name)
    return [
        *(
            f"Collection: {one.name}, {one.documents} documents in {one.chunks} chunks ({one.chunker}), "
            f"SHA-256 {one.sha256}"
            for one in record.collections
        ),
        f"Models: {models}; evaluator's weights {(record.weights or {}).get('evaluator')}",
        f"Versions: groundgraph {record.groundgraph}, {', '.join(map(' '.join, record.packages.items()))}",
        f"Made: {record.date}; cost: {spent}, {cost.seconds:,.0f} s of answering and searching",
    ]


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
        verdict=verdict(tuner.choices, tuner.whole),
        together=together(tuner),
    )


def _settings(settings: Settings) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items())
