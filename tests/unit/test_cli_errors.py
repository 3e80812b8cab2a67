"""Bad use is one clear line and status 2; a traceback comes only when asked for."""

import os
from pathlib import Path

import pytest

from graphs.catalogue import PATTERNS
from groundgraph.settings import get_settings
from tests.cli import run
from tests.embedder import use_bag_embedder

Capsys = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["bogus"], "No such command 'bogus'. See groundgraph --help."),
        (["ask"], "Missing argument 'QUESTION'. See groundgraph ask --help."),
        (["ask", "Why?", "--pattern", "magic"], "pattern='magic': unknown; known are "),
        (["ask", "Why?", "--set", "top_k"], "--set 'top_k': give it as key=value, such as crag.theta_high=0.8"),
        (["ask", "Why?", "--set", "top_q=3"], "Context.top_q: unknown key; known are "),
        (["ask", "Why?", "--set", "top_k=-1"], "Context.top_k=-1: Input should be greater than or equal to 1"),
        (["ask", "Why?", "--set", "crag.theta_high=2"], "Context.crag.theta_high=2: "),
        (["ask", "Why?", "--set", f"top_k={'9' * 5000}"], "--set 'top_k=999"),
        (["ask", "Why?", "--set", f"top_k={'[' * 20_000}"], "--set 'top_k=[[["),
        (["ask", "Why?", "--set", f"router.table{'.a' * 5000}=1"], "Context.router.table.a=<dict too large to show>"),
        (["ask", "Why?", "--set", "top_k=3", "--set", "top_k.x=1"], "--set 'top_k.x=1': top_k is set to 3"),
        (["ask", "Why?", "--profile", "none.toml"], "profile 'none.toml': No such file or directory; give the path"),
        (["ask", " ", "--set", "answerer=extractive"], "the question is empty: ask something"),
        (["ask", "Why?", "-c", "nowhere", "-p", "naive", "--set", "answerer=extractive"], "no collection 'nowhere'"),
        (["index", "nowhere"], "no such file or folder: 'nowhere'"),
        (["graph", "magic"], "pattern='magic': unknown; known are "),
        (["graph", "crag", "--format", "svg"], "Invalid value for '--format'"),
        (["serve", "--port", "0"], "Invalid value for '--port'"),
    ],
)
def test_bad_use_is_one_line(arguments: list[str], line: str, capsys: Capsys) -> None:
    ran = run(capsys, *arguments)
    assert ran.status == 2
    assert ran.err.startswith(f"error: {line}")
    assert ran.err.count("\n") == 1 and ran.out == "" and len(ran.err) < 1000


@pytest.mark.parametrize("arguments", [["ask", "Why?", "--set", "top_k=0"], ["ask"], ["ask", "Why?", "-p", "magic"]])
def test_with_json_the_error_is_the_one_object(arguments: list[str], capsys: Capsys) -> None:
    ran = run(capsys, *arguments, "--json")
    assert ran.status == 2
    assert list(ran.object) == ["error"] and ran.err == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("top_k: 3", "mine.toml' is not TOML"),
        (f"top_k = {'9' * 5000}", "mine.toml' is not TOML: Exceeds the limit"),
        (f"top_k = 0x{'f' * 5000}", "Context.top_k=<int too large to show>: "),
        (f"top_k = {'[' * 20_000}", "mine.toml' is nested too deeply"),
    ],
)
def test_a_profile_that_cannot_be_used(text: str, line: str, tmp_path: Path, capsys: Capsys) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text(text)
    ran = run(capsys, "ask", "Why?", "--profile", str(profile))
    assert ran.status == 2
    assert line in ran.err and ran.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--debug", "graph", "magic"], ["graph", "magic", "--debug"]])
def test_debug_adds_the_traceback(arguments: list[str], capsys: Capsys) -> None:
    ran = run(capsys, *arguments)
    assert ran.status == 2
    assert "Traceback (most recent call last)" in ran.err
    assert ran.err.endswith(f"error: pattern='magic': unknown; known are {', '.join(PATTERNS)}\n")


def test_a_file_that_cannot_be_written(capsys: Capsys) -> None:
    ran = run(capsys, "graph", "naive", "--output", "no/such/folder/naive.mmd")
    assert ran.status == 2 and ran.err.count("\n") == 1
    assert ran.err.startswith(
        "error: --output 'no/such/folder/naive.mmd' cannot be written (no such file or directory)"
    )


@pytest.mark.parametrize(
    ("home", "why"),
    [
        ("notes.md", "not a directory"),
        ("notes.md/below", "not a directory"),
        ("x" * 300, "file name too long"),
        ("~nobody-of-this-name/data", "could not determine home directory"),
    ],
)
@pytest.mark.parametrize(
    "command", [["index", "notes.md"], ["collections"], ["doctor"], ["ask", "Why?", "-p", "naive"]]
)
def test_a_home_that_cannot_be_one(
    command: list[str], home: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    (tmp_path / "notes.md").write_text("The sea is deep.")
    monkeypatch.setenv("GROUNDGRAPH_HOME", home)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    get_settings.cache_clear()
    ran = run(capsys, *command)
    assert ran.status == 2 and ran.err.count("\n") == 1
    assert f"{home}', cannot be read ({why}" in ran.err and "set GROUNDGRAPH_HOME to another" in ran.err


def test_a_home_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    (tmp_path / "notes.md").write_text("The sea is deep.")
    monkeypatch.setenv("GROUNDGRAPH_HOME", "/proc/groundgraph")
    use_bag_embedder(monkeypatch)
    ran = run(capsys, "index", "notes.md")
    assert ran.status == 2 and ran.err.count("\n") == 1
    assert ran.err.startswith("error: folder '/proc/groundgraph/default' cannot be made (")
    assert "set GROUNDGRAPH_HOME to a folder that can be written" in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_a_folder_that_may_not_be_read(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    use_bag_embedder(monkeypatch)
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "notes.md").write_text("The sea is deep.")
    folder.chmod(mode)
    for path in ("secret", "secret/notes.md"):
        ran = run(capsys, "index", path)
        assert ran.status == 2 and ran.err.count("\n") == 1 and "permission" in ran.err
    folder.chmod(0o700)


def test_ctrl_c_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capsys) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("groundgraph.knowledge.index.index", interrupted)
    ran = run(capsys, "index", str(tmp_path))
    assert ran.status == 130
    assert "Traceback" not in ran.err
