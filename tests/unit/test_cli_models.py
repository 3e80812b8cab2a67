"""The commands that prepare models: the chat model before a run, the evaluator by training."""

from collections.abc import Callable
from pathlib import Path

import pytest

from graphs.crag import graph
from groundgraph.cli.run import prepare_model, prepare_weights
from groundgraph.models import PROVIDERS, default_chat_model
from groundgraph.settings import get_settings
from state.context import Context
from tests.cli import run, run_at_terminal
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import scripted

Capsys = pytest.CaptureFixture[str]
WEIGHTS = "qwen2.5-coder-1.5b-instruct"


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record what is resolved and loaded, in place of doing it."""
    done: list[str] = []

    def resolve(name: str, progress: Callable[[str, int, int], None]) -> Path:
        progress(f"assembling {name}", 500, 1000)
        done.append(f"resolve {name}")
        return Path(name)

    monkeypatch.setattr("groundgraph.cli.run.resolve_weights", resolve)
    monkeypatch.setattr("groundgraph.cli.run.chat_model", lambda name: done.append(f"load {name}"))
    return done


def test_the_embedded_model_is_assembled_then_loaded(prepared: list[str]) -> None:
    prepare_model(Context(chat_model=f"llamacpp:{WEIGHTS}"), show=False)
    assert prepared == [f"resolve {WEIGHTS}", f"load llamacpp:{WEIGHTS}"]


def test_the_default_model_is_prepared_too(prepared: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDGRAPH_CHAT_MODEL", f"llamacpp:{WEIGHTS}")
    get_settings.cache_clear()
    assert default_chat_model() == f"llamacpp:{WEIGHTS}"
    prepare_model(Context(), show=False)
    assert prepared == [f"resolve {WEIGHTS}", f"load llamacpp:{WEIGHTS}"]


@pytest.mark.parametrize(
    "context",
    [Context(chat_model="openai:gpt-4o-mini"), Context(chat_model=f"llamacpp:{WEIGHTS}", answerer="extractive")],
)
def test_nothing_is_prepared_that_the_run_does_not_use(context: Context, prepared: list[str]) -> None:
    prepare_model(context, show=False)
    assert prepared == []


@pytest.fixture
def loaded(prepared: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record it, in place of loading, when a run makes the chat model."""
    monkeypatch.setitem(PROVIDERS, "llamacpp", lambda name: prepared.append(f"load {name}"))
    return prepared


def test_a_refusal_of_the_grader_loads_no_chat_model(
    loaded: list[str],
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    capsys: Capsys,
) -> None:
    finds([passage("Cats purr.")])
    evaluates({"Cats": 0.1})
    model = f"llamacpp:{WEIGHTS}"
    ran = run(capsys, "ask", "How deep is the sea?", "-p", "crag", "--set", f"chat_model={model}")
    assert ran.status == 3 and loaded == [f"resolve {WEIGHTS}"]
    assert graph.invoke({"question": "How deep is the sea?"}, context=Context(chat_model=model))["refused"]
    assert loaded == [f"resolve {WEIGHTS}"]


def test_weights_are_prepared_without_loading_the_model(prepared: list[str]) -> None:
    assert prepare_weights(Context(chat_model=f"llamacpp:{WEIGHTS}"), show=False) == f"llamacpp:{WEIGHTS}"
    assert prepared == [f"resolve {WEIGHTS}"]


def test_the_bar_is_shown_on_a_terminal_only(
    prepared: list[str],
    finds: Callable[..., FixedSearch],
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capsys,
) -> None:
    monkeypatch.setattr("groundgraph.cli.run.EMBEDDED", "scripted:")
    finds([passage("The sea is deep.")])
    with scripted("Deep [1].", "Deep [1].") as (model, _):
        arguments = ["ask", "How deep is the sea?", "-p", "naive", "--set", f"chat_model={model}"]
        shown = run_at_terminal(capsys, monkeypatch, *arguments).err
        assert "assembling test" in shown and "0.5/1.0 kB" in shown
        assert run(capsys, *arguments).err == ""


def test_training_takes_its_folder_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    monkeypatch.setenv("GROUNDGRAPH_QA", str(tmp_path))
    ran = run(capsys, "evaluator", "train")
    assert ran.status == 2 and str(tmp_path / "corpus.jsonl") in ran.err


def test_training_without_a_folder_is_bad_use(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.delenv("GROUNDGRAPH_QA", raising=False)
    ran = run(capsys, "evaluator", "train")
    assert ran.status == 2 and ran.err.startswith("error: nothing to go by: give DATA, or --feedback")
