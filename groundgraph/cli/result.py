"""Show what a run gave: for people, and as JSON."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundgraph.cli.run import Result
from groundgraph.cli.terminal import one_line, write
from nodes.language import Language, written_in
from nodes.reason import in_language
from state.schemas import Citation, Step

QUOTE = 240
"""Characters of a quote that are shown."""
COLORS = ((0.8, "green"), (0.4, "yellow"), (0.0, "red"))
"""Colour of a sentence by the confidence from which it has it."""
FIGURES = 120
"""Characters of a step's figures that are shown without `--trace`."""
REFUSED = {"en": "Refused: {}.", "zh": "拒答原因：{}。"}
NO_SOURCES = {"en": "There are no sources. ", "zh": "没有出处。"}
UNCITED = {"en": "The answer cites no passage.", "zh": "答案没有引用任何段落。"}


def as_object(result: Result) -> dict[str, Any]:
    """Return the result as plain JSON values."""
    answer = result.answer
    return {
        "answer": answer["answer"],
        "citations": answer["citations"],
        "passages": [
            {**passage.model_dump(mode="json", exclude={"type"}), "locator": passage.locator}
            for passage in answer["passages"]
        ],
        "refused": answer["refused"],
        "refusal_reason": answer["refusal_reason"],
        "steps": answer["steps"],
        "warnings": result.warnings,
        "usage": answer["usage"],
        "seconds": round(result.seconds, 3),
        "pattern": result.pattern,
    }


def show(result: Result, *, trace: bool, quiet: bool, confidence: bool = False) -> None:
    """Write the answer unless it stands there already, its citations, and unless `quiet` the path and the cost.

    With `confidence`, each sentence also stands by itself with the model's confidence in it.
    """
    show_answer(result)
    show_citations(result, whole=trace)
    if confidence:
        show_confidence(result.answer["steps"])
    if not quiet or trace:
        show_path(result, trace=trace)


def show_answer(result: Result) -> None:
    """Write the answer unless it stands there already, and why it is a refusal if it is one."""
    answer = result.answer
    if answer["answer"].strip() != result.streamed.strip():
        write(answer["answer"])
    if answer["refused"]:
        write(REFUSED[written_in(answer["answer"])].format(answer["refusal_reason"]))


def show_citations(result: Result, *, whole: bool = False) -> None:
    """Write where each citation points, with its quote; cut short unless `whole`."""
    searched = {name for step in result.answer["steps"] for name in step["figures"].get("collections", ())}
    for citation in result.answer["citations"]:
        _show_citation(citation, whole=whole, named=len(searched) > 1)


def show_sources(result: Result) -> None:
    """Write where each citation points; where there is none, that there is none, and why."""
    answer = result.answer
    language = written_in(answer["answer"])
    if answer["citations"]:
        show_citations(result)
    elif answer["refused"]:
        write(f"{NO_SOURCES[language]}{REFUSED[language].format(answer['refusal_reason'])}")
    else:
        write(f"{NO_SOURCES[language]}{UNCITED[language]}")


def show_confidence(steps: Sequence[Step]) -> None:
    """Write each sentence that flare accepted, coloured by how sure the model was of its weakest word."""
    write("\nConfidence")
    accepted = [step["figures"] for step in steps if step["node"] == "append" and "confidence" in step["figures"]]
    for figures in accepted:
        value, weakest = figures["confidence"], figures["weakest"]
        shown = "   –" if value is None else f"{value:.2f}"
        color = next((name for least, name in COLORS if value is not None and value >= least), None)
        least = f"  (least sure of: {weakest})" if weakest else ""
        write(f"  {shown}  {figures['sentence']}{least}", color=color)
    if not accepted:
        write("  no sentence has one: the pattern flare measures it")


def show_path(result: Result, *, trace: bool = False) -> None:
    """Write what every node decided, the warnings and the cost; with `trace`, all figures and seconds."""
    answer = result.answer
    write(f"\nPath of {result.pattern}", dim=True)
    language = written_in(answer["answer"])
    for step in answer["steps"]:
        _show_step(step, language, whole=trace)
    if trace:
        seconds = answer["usage"].get("seconds", {})
        write(f"Seconds: {', '.join(f'{node} {spent:.2f}' for node, spent in seconds.items())}")
    show_warnings(result)
    write(_cost(result), dim=True)


def show_warnings(result: Result) -> None:
    """Write what went less well than asked."""
    for warning in result.warnings:
        write(f"Warning: {warning}")


def _show_citation(citation: Citation, *, whole: bool, named: bool) -> None:
    """Write where a citation points; with its collection if it is `named`."""
    place = f"{_nearby(citation['source'])}, {citation['locator']}"
    if named and citation["collection"]:
        place = f"{citation['collection']}: {place}"
    quote = one_line(citation["quote"], len(citation["quote"]) + 1 if whole else QUOTE)
    write(f"\n[{citation['number']}] {place}\n    “{quote}”")


def _nearby(source: str) -> str:
    """Return the path of a file at or below this folder as it is seen from here; any other source as it is."""
    here = Path.cwd()
    return str(Path(source).relative_to(here)) if Path(source).is_relative_to(here) else source


def _show_step(step: Step, language: Language, *, whole: bool) -> None:
    """Write a step on one line, tables left out; `whole`, with every figure on a line of its own."""
    said = f"  {step['node']:<16} {in_language(step['decision'], language)}"
    if whole:
        write(said)
        for key, value in step["figures"].items():
            write(f"      {key} = {json.dumps(value, ensure_ascii=False)}")
    else:
        figures = ", ".join(f"{k} {_figure(v)}" for k, v in step["figures"].items() if not _is_table(k, v))
        write(f"{said} ({one_line(figures, FIGURES)})" if figures else said)


def _is_table(key: str, value: Any) -> bool:
    rows = isinstance(value, list) and any(isinstance(row, dict) for row in value)
    return rows or (key == "scores" and isinstance(value, dict))


def _figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list):
        return " ".join(_figure(item) for item in value)
    return _nearby(value) if isinstance(value, str) else str(value)


def _cost(result: Result) -> str:
    usage = result.answer["usage"]
    calls, searches = usage.get("model_calls", 0), usage.get("searches", 0)
    parts = [f"{calls} model call{'' if calls == 1 else 's'}"]
    read, written = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    if calls:
        estimated = " (estimated)" if usage.get("estimated_calls") else ""
        parts.append(f"{read} tokens read, {written} written{estimated}")
    if searches:
        parts.append(f"{searches} web search{'' if searches == 1 else 'es'}")
    return ", ".join([*parts, f"{result.seconds:.1f} s"])
