"""CONTRIBUTING.md holds: its pattern is the real one, and whoever follows its walk has a node more in CRAG."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.test_docs import ROOT, snippets

PAGE = ROOT / "CONTRIBUTING.md"
PATTERN, NODE, TEST = snippets(PAGE, "python")
(WIRING,) = snippets(PAGE, "diff")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a copy of the project, with what the walk leaves alone linked."""
    for name in ("graphs", "nodes", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "faults", "data"))
    for name in ("state", "groundgraph", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def in_clone(clone: Path, *command: str) -> str:
    done = subprocess.run([sys.executable, "-m", *command], cwd=clone, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_pattern_is_the_real_one() -> None:
    assert PATTERN == (ROOT / "graphs" / "naive.py").read_text("utf-8")


def test_a_node_is_added_to_crag_by_following_the_walk(clone: Path) -> None:
    (clone / "nodes" / "redact.py").write_text(NODE, "utf-8")
    (clone / "tests" / "unit" / "test_redact.py").write_text(TEST, "utf-8")
    subprocess.run(["git", "apply", "-p0", "--whitespace=error", "-"], cwd=clone, input=WIRING, text=True, check=True)
    drawings = ["tests/unit/test_drawings.py::test_drawing[crag]", "--snapshot-update"]
    structure = "tests/unit/test_structure.py::test_a_graph_file_is_wiring_only[crag]"
    in_clone(clone, "pytest", "-p", "no:cacheprovider", "tests/unit/test_redact.py", structure, *drawings)
    assert "refine -.-> redact" in (clone / "tests/unit/__snapshots__/test_drawings.ambr").read_text("utf-8")
    in_clone(clone, "ruff", "check", "nodes", "graphs", "tests/unit/test_redact.py")
    in_clone(clone, "ruff", "format", "--check", "nodes", "graphs", "tests/unit/test_redact.py")
