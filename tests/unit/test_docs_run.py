"""Every command and every Python snippet of the documentation runs, page by page, as a reader goes through it."""

import argparse
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.desk import furnished, seat
from tests.unit.test_docs import PAGES, ROOT, snippets

__all__ = ["furnished"]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TARGETS = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
MARKS = {mark.partition(":")[0] for mark in PROJECT["tool"]["pytest"]["ini_options"]["markers"]}
ELSEWHERE = {
    "--ragas": "test_evaluation_ragas.py",
    "self-rag train": "test_self_rag_train.py",
    "evaluator calibrate ~/qa": "test_grading_fit_cascade.py",
    "evaluator check ~/qa": "test_cli_evaluator.py",
    "eval ~/qa": "test_evaluation_run.py",
    "chat_model=llamacpp:": "test_cli_models.py",
}
"""Commands that need an extra which `dev` leaves out, a whole data set or other weights, and where they are tested."""
SERVED = "langgraph_sdk"
"""Snippets that need a running server: tests/server/test_server.py."""
STATUS = {"web_search=ask": 3, "groundgraph testset": 1}
"""What else may come out than 0: nobody is there to ask, and few documents make few questions."""


def lines(page: Path) -> Iterator[str]:
    """Yield what is typed on a page."""
    for body in snippets(page, "bash"):
        yield from typed(body)


def typed(body: str) -> list[str]:
    """Return the lines of a shell snippet that are no comments."""
    return [line for line in body.splitlines() if line and not line.startswith("#")]


class Parsed(Exception):
    """The arguments of a benchmark, which take it too long to go on with."""


def is_parsed(main: Callable[[list[str]], int], arguments: list[str]) -> bool:
    """Return whether a program takes these arguments; it stops once it has read them."""
    parse = argparse.ArgumentParser.parse_args

    def stop(parser: argparse.ArgumentParser, given: list[str]) -> None:
        raise Parsed(parse(parser, given))

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Parsed):
        patch.setattr(argparse.ArgumentParser, "parse_args", stop)
        main(arguments)
    return True


def is_known(line: str) -> bool:
    """Return whether a line that is no command of ours names only what the project has."""
    words = shlex.split(line, comments=True)
    match words:
        case ["groundgraph", *_]:
            return any(part in line and Path(__file__).with_name(test).is_file() for part, test in ELSEWHERE.items())
        case ["make", *targets]:
            return {word for word in targets if "=" not in word} <= TARGETS
        case ["python3", "-m", "venv", ".venv", *rest]:
            return rest in ([], ["&&", "source", ".venv/bin/activate"])
        case ["source", ".venv/bin/activate"]:
            return True
        case ["pip" | ".venv/bin/pip", "install", "-c", constraints, what]:
            extras = set(what.removeprefix(".[").removesuffix("]").split(","))
            return (ROOT / constraints).is_file() and extras <= PROJECT["project"]["optional-dependencies"].keys()
        case ["python", "-m", module, *arguments] if module.startswith("benchmarks."):
            return is_parsed(import_module(module).main, arguments)
        case [".venv/bin/pytest", "-m", expression]:
            return set(re.findall(r"\w+", expression)) - {"not", "and", "or"} <= MARKS
        case [".venv/bin/pytest", file, *_]:
            return (ROOT / file).is_file()
    return False


@pytest.mark.parametrize("page", [page for page in PAGES if any(lines(page))], ids=lambda page: page.stem)
def test_every_command_runs(
    page: Path, furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with seat(furnished, tmp_path / "desk", monkeypatch, capsys) as desk:
        for line in lines(page):
            ran = None if any(part in line for part in ELSEWHERE) else desk.type(line)
            if ran is None:
                assert is_known(line), line
            else:
                allowed = {0, *(status for part, status in STATUS.items() if part in line)}
                assert ran.status in allowed, f"{line}\n{ran.out}{ran.err}"


@pytest.mark.parametrize(
    ("heading", "model", "path"),
    [
        ("OpenAI", "gpt-4o-mini", "/v1/chat/completions"),
        ("Azure OpenAI", "my-deployment", "/openai/v1/chat/completions"),
        ("vLLM", "Qwen/Qwen2.5-7B-Instruct", "/v1/chat/completions"),
        ("Ollama", "qwen2.5:7b", "/v1/chat/completions"),
        ("llama.cpp server", "model", "/v1/chat/completions"),
    ],
)
def test_an_endpoint_is_asked_as_its_section_says(
    heading: str,
    model: str,
    path: str,
    furnished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    section = (ROOT / "docs" / "models.md").read_text("utf-8").partition(f"\n### {heading}\n")[2]
    block = section.partition("```bash\n")[2].partition("```")[0]
    with seat(furnished, tmp_path / "desk", monkeypatch, capsys) as desk:
        monkeypatch.delenv("OPENAI_BASE_URL")
        for line in typed(block):
            ran = desk.type(line)
            assert ran and ran.status == 0, f"{line}\n{ran}"
        assert (desk.endpoint.requests[-1]["model"], desk.endpoint.paths[-1]) == (model, path)


@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page, "python")], ids=lambda page: page.stem)
def test_every_python_snippet_runs(
    page: Path, furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with seat(furnished, tmp_path / "desk", monkeypatch, capsys):
        for source in snippets(page, "python"):
            if SERVED not in source and "InputError:" not in source:
                exec(compile(source, page.name, "exec"), {"__name__": "__main__"})
