"""What is installed: our own packages under their plain names, every subpackage, and the data files."""

import json
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from zipfile import ZipFile

import pytest

from graphs.catalogue import PATTERNS

PROJECT = Path(__file__).parents[2]
TOP = ("graphs", "nodes", "state", "groundgraph")


def sources() -> set[str]:
    """Return every module and data file of ours, as a path within the project."""
    files = [
        file for name in TOP for pattern in ("*.py", "*.json", "*.html") for file in (PROJECT / name).rglob(pattern)
    ]
    return {file.relative_to(PROJECT).as_posix() for file in files}


@pytest.mark.parametrize("name", TOP)
def test_the_installed_names_are_ours(name: str) -> None:
    assert Path(str(import_module(name).__file__)).parent == PROJECT / name


def test_a_built_wheel_holds_every_module_and_data_file(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in TOP:
        shutil.copytree(PROJECT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, tree)
    code = "import setuptools.build_meta as build; print(build.build_wheel('.'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=True)
    with ZipFile(tree / done.stdout.split()[-1]) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == sources()


def test_langgraph_json_lists_every_pattern_with_its_description() -> None:
    graphs = json.loads((PROJECT / "langgraph.json").read_text())["graphs"]
    assert graphs == {
        name: {"path": f"graphs.{name}:graph", "description": description} for name, description in PATTERNS.items()
    }


def test_every_graph_file_is_a_pattern() -> None:
    files = {file.stem for file in (PROJECT / "graphs").glob("*.py") if "compile(name=" in file.read_text()}
    assert files - {"self_rag_tokens"} == set(PATTERNS), "a pattern, or the part of one"


def test_imports_run_one_way() -> None:
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run([sys.executable, "-c", lint], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("file", "other"), [("constraints.txt", "ragas"), ("constraints-ragas.txt", None)])
def test_constraints_pin_every_requirement_and_name_no_index(file: str, other: str | None) -> None:
    """The extra `ragas` does not go with the versions of the rest."""
    lines = [line for line in (PROJECT / file).read_text().splitlines() if not line.startswith("#")]
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    extras = {name: wanted for name, wanted in project["optional-dependencies"].items() if name != other}
    required = [*project["dependencies"], *(r for wanted in extras.values() for r in wanted)]
    names = {r.partition("[")[0].partition("=")[0].partition(">")[0].lower() for r in required} - {"groundgraph"}
    assert names <= pinned
    assert all("==" in line and "/" not in line and "@" not in line for line in lines)
