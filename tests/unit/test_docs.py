"""The documentation says nothing that the code does not hold: links, commands, snippets, settings, variables."""

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import AliasChoices, BaseModel

from graphs.catalogue import PATTERNS
from groundgraph.cli.app import app
from groundgraph.cli.evaluator_tables import tables
from groundgraph.settings import Settings
from nodes.classify_intent import TABLE
from state import Context

ROOT = Path(__file__).parents[2]
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]
PATTERN_PAGES = sorted((ROOT / "docs" / "patterns").glob("*.md"))
PAGES = [*READMES, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *PATTERN_PAGES]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
VARIABLE = re.compile(r"\b(?:GROUNDGRAPH|OPENAI|SEARXNG|TAVILY)_[A-Z_]+\b")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text("utf-8"))


def snippets(page: Path, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(page.read_text("utf-8")) if kind == language]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.+)$", prose(page), re.MULTILINE)
    return {*map(slug, headings)}


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def commands(page: Path) -> Iterator[list[str]]:
    """Yield the arguments of each `groundgraph …` line in a shell snippet, a table or the running text."""
    lines = [line for body in snippets(page, "bash") for line in body.splitlines()]
    lines += re.findall(r"`(groundgraph [^`]+)`", prose(page))
    for line in lines:
        if line.startswith("groundgraph "):
            yield shlex.split(line, comments=True)[1:]


def options(page: Path, name: str) -> list[str]:
    """Return the values that an option has on a page."""
    return [value for args in commands(page) for flag, value in pairwise(args) if flag == name]


def cells(page: Path, first: str) -> list[str]:
    """Return the cells of the table row whose first cell is the code `first`."""
    row = re.search(rf"^\| `{re.escape(first)}` \|(.*)\|$", page.read_text("utf-8"), re.MULTILINE)
    assert row, f"{page.name} has no row for {first}"
    return [cell.strip() for cell in row[1].split(" | ")]


@every_page
def test_links_resolve(page: Path) -> None:
    for target in LINK.findall(prose(page)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target


def test_every_page_is_in_the_contents() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / target).resolve() for target in LINK.findall(prose(index))}
    assert {*PAGES} - {*READMES, index} <= linked


@every_page
def test_commands_parse(page: Path) -> None:
    for args in commands(page):
        command: Any = typer.main.get_command(app)
        while hasattr(command, "commands") and not (command.invoke_without_command and not args):
            assert args and args[0] in command.commands, args
            command, args = command.commands[args[0]], args[1:]
        given, _, _ = command.make_parser(typer.Context(command)).parse_args(list(args))
        left_out = ["WORD" for one in command.params if one.required and not given.get(one.name)]
        command.make_context("groundgraph", [*args, *left_out])


@every_page
def test_settings_in_commands_and_profiles_are_valid(page: Path) -> None:
    for assignment in options(page, "--set"):
        key, _, text = assignment.partition("=")
        Context.parse(nested(key, value_of(text)))
    for profile in snippets(page, "toml"):
        Context.parse(tomllib.loads(profile))


def value_of(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def nested(key: str, value: Any) -> dict[str, Any]:
    first, dot, rest = key.partition(".")
    return {first: nested(rest, value) if dot else value}


@every_page
def test_patterns_in_commands_exist(page: Path) -> None:
    assert {name for names in options(page, "--pattern") for name in names.split(",")} <= PATTERNS.keys()


@every_page
def test_python_snippets_compile_and_their_imports_exist(page: Path) -> None:
    for source in snippets(page, "python"):
        compile(source, page.name, "exec")
        for statement in ast.walk(ast.parse(source)):
            if isinstance(statement, ast.Import):
                for name in statement.names:
                    import_module(name.name)
            elif isinstance(statement, ast.ImportFrom):
                module = import_module(statement.module or "")
                assert all(hasattr(module, name.name) for name in statement.names), ast.unparse(statement)


def settings_of(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from settings_of(field.annotation, f"{name}.")
        else:
            yield prefix + name, field.get_default(call_default_factory=True)


@pytest.mark.parametrize(("name", "default"), list(settings_of(Context)))
def test_the_context_page_names_every_setting_with_its_default(name: str, default: Any) -> None:
    assert cells(ROOT / "docs" / "context.md", name)[1] == f"`{json.dumps(default)}`"


def test_the_context_page_names_no_setting_that_does_not_exist() -> None:
    known = {name for name, _ in settings_of(Context)}
    page = (ROOT / "docs" / "context.md").read_text("utf-8")
    assert {*re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE)} == known


def variables() -> dict[str, Any]:
    """Return every environment variable that `Settings` reads, with its default."""
    found: dict[str, Any] = {}
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        names = alias.choices if isinstance(alias, AliasChoices) else [f"GROUNDGRAPH_{name.upper()}"]
        found |= {str(variable): field.default for variable in names if str(variable).isupper()}
    return found


@every_page
def test_environment_variables_exist(page: Path) -> None:
    assert {*VARIABLE.findall(page.read_text("utf-8"))} <= variables().keys()


@pytest.mark.parametrize(("name", "default"), variables().items())
def test_the_environment_page_names_every_variable_with_its_default(name: str, default: Any) -> None:
    shown = cells(ROOT / "docs" / "environment.md", name)[0].strip("`")
    if isinstance(default, int | float | str):
        assert shown == (default if isinstance(default, str) else f"{default:g}")


def test_the_router_page_has_the_table_of_the_router() -> None:
    page = (ROOT / "docs" / "patterns" / "router.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w, ]+) \| (\w+) \|$", page, re.MULTILINE)
    table = {intent: pattern for intents, pattern in rows for intent in intents.split(", ")}
    assert {intent: pattern for intent, pattern in table.items() if intent != "Intent"} == TABLE


def test_the_evaluator_page_has_the_figures_of_the_training_record() -> None:
    record = json.loads((files("groundgraph.grading") / "training_record.json").read_text("utf-8"))
    page = (ROOT / "docs" / "evaluator.md").read_text("utf-8")
    for title, table in tables(record).items():
        assert f"\n\n{table}\n\n" in page, f"{title}: copy what `groundgraph evaluator train` printed"
    questions, refinement, test = (
        record["questions"],
        record["refinement"]["test"]["all"],
        record["among"]["test"]["all"],
    )
    figures = [f"{questions['train']:,} questions", f"{questions['val']} others", f"{questions['test']} others"]
    figures += [f"Only {share(test['answered_crossed'])} of the questions in one language"]
    figures += [share(refinement["characters_kept"]), share(refinement["answers_survive"])]
    figures += [f"its AUC is {record['alone']['test']['all']['auc']:.2f} instead of {test['auc']:.2f}"]
    figures += [f"the calibration error is {test['ece']:.2f}"]
    assert [figure for figure in figures if figure not in " ".join(page.split())] == []


def test_the_evaluator_page_has_the_figures_of_the_cascade() -> None:
    record = json.loads((files("groundgraph.grading") / "cascade_record.json").read_text("utf-8"))["questions"]
    page = (ROOT / "docs" / "evaluator.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (\w+), left out \| (.*) \|$", page, re.MULTILINE))
    assert rows == {source: cascade_row(record[source]) for source in rows} and {"clapnq", "nomiracl", "all"} <= {*rows}


def cascade_row(figures: dict[str, Any]) -> str:
    names = ("answered_embedded", "answered", "refused_embedded", "refused")
    unanswerable = figures["unanswerable"]
    counts = [str(figures["questions"] - unanswerable), str(unanswerable)]
    return " | ".join([*counts, *(share(figures[name]) for name in names)])


def share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}".replace("%", " %")


def test_the_router_page_has_the_figures_of_the_intent_classifier() -> None:
    record = json.loads((files("groundgraph.grading") / "intent_head.json").read_text("utf-8"))["record"]
    english, chinese = (share(record["check_accuracy"][language]) for language in ("en", "zh"))
    figures = [f"trained on {record['utterances']} ", f"On {record['check_utterances']} other"]
    figures += [f"{english} of the English ones and {chinese} of the Chinese ones"]
    smalltalk = record["real_questions_taken_for"]["smalltalk"]
    figures += [f"{100 * smalltalk:.1f} % of {record['real_questions']:,} real questions"]
    page = " ".join((ROOT / "docs" / "patterns" / "router.md").read_text("utf-8").split())
    assert [figure for figure in figures if figure not in page] == []
