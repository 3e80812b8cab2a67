"""The notebooks are kept without outputs, readable in a diff, thin, and import what anybody may.

`make notebooks` executes them.
"""

import ast
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
OURS = ("graphs", "nodes", "state", "groundgraph")
LONGEST = 24
"""Lines of a cell: more belongs into the project."""

every_notebook = pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def code(path: Path) -> Iterator[ast.AST]:
    for cell in cells(path, "code"):
        source = "".join(cell["source"])
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
        yield from ast.walk(compile(source, f"{path.name}, {cell['id']}", "exec", flags))


def test_there_are_some() -> None:
    assert len(list(NOTEBOOKS.glob("*.ipynb"))) == 9


@every_notebook
def test_no_outputs_are_kept(path: Path) -> None:
    for cell in cells(path, "code"):
        assert cell["outputs"] == [] and cell["execution_count"] is None, f"{cell['id']}: clear all outputs"


@every_notebook
def test_a_diff_is_read_line_by_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
    found = json.loads(text)["cells"]
    for cell in found:
        assert all(line.count("\n") == 1 for line in cell["source"][:-1])
        assert re.fullmatch(r"[a-z_]+", cell["id"]), "cells have names"
    assert len({cell["id"] for cell in found}) == len(found)


@every_notebook
def test_imports_are_public_and_exist(path: Path) -> None:
    for statement in code(path):
        if isinstance(statement, ast.Import):
            assert not [name.name for name in statement.names if name.name.partition(".")[0] in OURS]
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").partition(".")[0] in OURS:
            module, names = import_module(statement.module or ""), [name.name for name in statement.names]
            assert all(hasattr(module, name) for name in names), ast.unparse(statement)
            assert not [name for name in (*module.__name__.split("."), *names) if name.startswith("_")]


@every_notebook
def test_nothing_is_defined_that_belongs_into_the_project(path: Path) -> None:
    for cell in cells(path, "code"):
        assert len(cell["source"]) <= LONGEST, cell["id"]
    assert not [node for node in code(path) if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]


@every_notebook
def test_every_part_is_there(path: Path) -> None:
    text = ["".join(cell["source"]) for cell in cells(path, "markdown")]
    assert text[0].startswith("# ") and re.search(r"^\*\*.*\?\*\*$", text[0], re.MULTILINE), "the question it answers"
    named = {cell["id"] for cell in cells(path, "markdown")}
    assert {"title", "graph", "run", "picture", "knob", "failure"} <= named


@every_notebook
def test_the_readme_has_its_question(path: Path) -> None:
    question = re.search(r"^\*\*(.*\?)\*\*$", "".join(cells(path, "markdown")[0]["source"]), re.MULTILINE)
    readme = (NOTEBOOKS / "README.md").read_text(encoding="utf-8")
    assert question and f"| [{path.stem}]({path.name}) | {question[1]} |" in readme
