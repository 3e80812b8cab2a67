"""What the documentation claims holds: figures of the READMEs, quoted messages, drawings, names of files."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from graphs.catalogue import PATTERNS, load
from groundgraph.cli.app import app
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.endpoint import Endpoint, Request
from tests.logprobs import logprobs_of
from tests.unit.test_docs import PATTERN_PAGES, READMES, ROOT, every_page, slug, snippets
from tests.unit.test_patterns_over_http import reply

MEASURED = re.compile(r"^\|[^|]*\| ([^|]*\d[^|]*) \| \[[^\]]*\]\(([^)#]+)#([^)]+)\) \|$", re.MULTILINE)
FIGURE = re.compile(r"\b\d+(?:\.\d+)?(?: [%m]\w?)?")
FILE = re.compile(r"`((?:tests|graphs|nodes|state|groundgraph|benchmarks|docs)/[\w./-]+)`")
MADE = {"nodes/redact.py", "tests/unit/test_redact.py"}
"""Files that CONTRIBUTING.md has its reader make."""

every_readme = pytest.mark.parametrize("readme", READMES, ids=lambda page: page.name)


def section(page: Path, anchor: str) -> str:
    """Return the part of a page beneath the heading with this anchor."""
    parts = re.split(r"^(?=## )", page.read_text("utf-8"), flags=re.MULTILINE)
    (found,) = [part for part in parts if slug(part.partition("\n")[0].lstrip("# ")) == anchor]
    return found


@every_readme
def test_a_readme_lists_the_patterns_that_exist(readme: Path) -> None:
    assert re.findall(r"^\| \[`(\w+)`\]", readme.read_text("utf-8"), re.MULTILINE) == [*PATTERNS]


def test_the_readmes_show_the_same_in_both_languages() -> None:
    english, chinese = (readme.read_text("utf-8") for readme in READMES)
    for part in (r"^```console\n.*?^```", r"^\| `[^`]+` \|", r"^!\[.*?\]\((.*?)\)", r"^## "):
        pattern = re.compile(part, re.MULTILINE | re.DOTALL)
        assert pattern.findall(english) == pattern.findall(chinese)


def test_the_picture_quotes_what_the_documentation_says() -> None:
    """The picture is made by docs/images/terminal.py."""
    shown = html.unescape((ROOT / "docs" / "images" / "answer.svg").read_text("utf-8")).replace("\xa0", " ")
    (source,) = re.findall(r"\[1\] (docs/[\w-]+\.md),", shown)
    (quote,) = re.findall(r"“(.*?)”", shown)
    assert quote in " ".join((ROOT / source).read_text("utf-8").split())


@every_readme
def test_a_readme_lists_the_commands_that_exist(readme: Path) -> None:
    listed = re.findall(r"^\| `groundgraph ([\w-]+)[^`]*` \|", readme.read_text("utf-8"), re.MULTILINE)
    command: Any = typer.main.get_command(app)
    assert {*listed} == {*command.commands}


@every_readme
def test_a_readme_measures_what_the_linked_page_says(readme: Path) -> None:
    """Each figure of a row stands in the part of the page that the row links to, in its row `all` if it has one."""
    rows = MEASURED.findall(readme.read_text("utf-8"))
    assert len(rows) == 4
    for measured, page, anchor in rows:
        part = section(readme.parent / page, anchor)
        part = next((line for line in part.splitlines() if line.startswith("| all |")), part)
        assert [figure for figure in FIGURE.findall(measured) if figure not in part] == []


@pytest.mark.parametrize("page", PATTERN_PAGES, ids=lambda page: page.stem)
def test_the_page_of_a_pattern_draws_it_and_says_when_to_use_it_and_what_it_costs(page: Path) -> None:
    titles = re.findall(r"^## (.+)$", page.read_text("utf-8"), re.MULTILINE)
    assert any(title.startswith("When to use") for title in titles)
    assert page.stem == "router" or any(title.startswith("How many model calls") for title in titles)
    drawing = snippets(page, "mermaid")[0]
    nodes = load(page.stem.replace("-", "_")).get_graph().nodes
    assert {node for node in nodes if not node.startswith("__")} <= {*re.findall(r"\w+", drawing)}


def said(request: Request, otherwise: dict[str, str]) -> str:
    """Reply as ever, but for prompts that hold one of these."""
    prompt = str(request["messages"])
    return next((text for part, text in otherwise.items() if part in prompt), None) or reply(request)


@pytest.mark.parametrize("pattern", ["naive", "crag", "adaptive", "advanced", "hyde", "self_rag"])
@pytest.mark.parametrize(("column", "preset"), [(1, "default"), (2, "embedded")])
def test_a_question_takes_as_many_calls_as_the_table_of_costs_says(
    pattern: str,
    column: int,
    preset: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finds([passage(f"{name} says that the tower is 330 metres tall.") for name in ("Ann", "Bob", "Cid", "Dee", "Eve")])
    evaluates({"330": 0.9})
    costs = section(ROOT / "docs" / "choose-a-pattern.md", "what-a-pattern-costs")
    (row,) = re.findall(rf"^\| `{pattern}` \|.*$", costs, re.MULTILINE)
    whole = {"Split a question": '{"subquestions": []}', "a JSON object of these": '{"support": 5, "utility": 5}'}
    with Endpoint(reply=lambda request: said(request, whole), logprobs=logprobs_of) as endpoint:
        endpoint.configure(monkeypatch)
        result = load(pattern).invoke({"question": "How tall is the tower?"}, context={"preset": preset})
    assert not result["refused"]
    assert row.split("|")[column + 1].split()[0].strip(",") == str(len(endpoint.requests))


@every_page
def test_files_that_are_named_exist(page: Path) -> None:
    named = {*FILE.findall(page.read_text("utf-8"))} - MADE
    assert [file for file in named if not (ROOT / file).exists()] == []


def test_troubleshooting_quotes_messages_that_exist() -> None:
    """But for the values in them, and wherever a line of code is broken."""
    files = [file for folder in ("groundgraph", "nodes") for file in (ROOT / folder).rglob("*.py")]
    code = re.sub(r"\s+", " ", re.sub(r"\"\s+f?\"", "", " ".join(file.read_text("utf-8") for file in files)))
    page = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    quoted = re.findall(r"^\*\*.*?\"([^\"]+)\"", page, re.MULTILINE)
    parts = [part for quote in quoted for part in re.split(r"…|\(.*?\)|\b\d+\b", quote)]
    assert len(quoted) > 15
    assert [part for part in parts if part.strip(" ,") not in code] == []
