"""The demo's three questions, from the command line, with the embedded models on the project's own documentation."""

import re
from pathlib import Path

import pytest

from groundgraph.knowledge.load import files
from tests.cli import Ran, run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = ("answers-and-citations.md", "quick-start-zh.md", "patterns/crag.md")


def test_the_demo_indexes_only_what_can_be_read() -> None:
    """A file that cannot be read, such as an image, makes `groundgraph index` exit with 1, and the demo fail."""
    (named,) = re.findall(r"index (docs.*) --collection demo", (ROOT / "Makefile").read_text(encoding="utf-8"))
    paths = [path for pattern in named.split() for path in ROOT.glob(pattern)]
    found = [Path(path) for path in files(paths, jsonl=False)]
    assert {path.suffix for path in found} == {".md"}
    assert {DOCS / page for page in PAGES} <= set(found)


@pytest.mark.local
def test_the_demos_questions(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "index", *(str(DOCS / page) for page in PAGES), "--collection", "demo").status == 0

    def ask(question: str, *options: str) -> Ran:
        return run(capsys, "ask", question, "--collection", "demo", "--json", *options)

    english = ask("What happens when a citation points at no passage?")
    assert english.status == 0 and english.object["usage"]["model_calls"] == 1
    assert "removed" in english.object["answer"] and "[1]" in english.object["answer"]
    assert english.object["citations"][0]["source"].endswith("answers-and-citations.md")
    assert "removed" in english.object["citations"][0]["quote"]

    chinese = ask("没有 API 密钥也能使用吗？")
    assert chinese.status == 0 and "没有 API 密钥也能使用" in chinese.object["answer"]
    assert chinese.object["citations"][0]["source"].endswith("quick-start-zh.md")

    foreign = ask("Who won the 1998 FIFA World Cup?")
    assert foreign.status == 3 and foreign.object["refused"]
    assert foreign.object["citations"] == foreign.object["passages"] == []
    assert foreign.object["usage"]["model_calls"] == 0, "the gate refuses before the model is asked"

    quoted = ask("From which score on does CRAG treat a passage as Correct?", "--set", "answerer=extractive")
    assert quoted.status == 0 and "0.79" in quoted.object["answer"]
    assert quoted.object["usage"]["model_calls"] == 0
    assert quoted.object["citations"][0]["quote"] in (DOCS / "patterns" / "crag.md").read_text().replace("\n", " ")
