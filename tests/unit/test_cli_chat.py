"""`groundgraph chat`: questions one after the other, and what may be said between them."""

import io
import sys
from collections.abc import Callable

import pytest

from groundgraph.cli.live import Live
from tests.cli import Ran, run
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import scripted

Capsys = pytest.CaptureFixture[str]
Chat = Callable[..., Ran]

STANDS = ("Question: Where does the Eiffel Tower stand?", "The Eiffel Tower stands in Paris [1].")
TALL = ("Question: How tall is the Eiffel Tower?", "The Eiffel Tower is 330 metres tall [1].")
FOLLOW_UP = ("Last question: And how tall is it?", "How tall is the Eiffel Tower?")


@pytest.fixture
def chat(
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capsys,
) -> Chat:
    finds([passage("The Eiffel Tower is 330 metres tall and stands in Paris.", source="paris.md", heading="Towers")])
    evaluates({"Eiffel": 0.9})

    def say(*lines: str, model: str, pattern: str = "naive", terminal: bool = False) -> Ran:
        typed = io.StringIO("".join(f"{line}\n" for line in lines))
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", typed)
            if terminal:
                patched.setattr(typed, "isatty", lambda: True, raising=False)
                patched.setattr(sys.stdout, "isatty", lambda: True)
            return run(capsys, "chat", "-p", pattern, "--set", f"chat_model={model}")

    return say


def test_a_pipe_gets_the_answers_and_nothing_else(chat: Chat) -> None:
    with scripted(STANDS, FOLLOW_UP, TALL) as (model, _):
        ran = chat("Where does the Eiffel Tower stand?", "", "And how tall is it?", model=model)
    assert ran == Ran(0, f"{STANDS[1]}\n{TALL[1]}\n", "")


def test_sources_and_the_path_of_the_last_answer(chat: Chat) -> None:
    with scripted(STANDS) as (model, _):
        ran = chat("Where does the Eiffel Tower stand?", "/sources", "/why", model=model)
    lines = ran.out.splitlines()
    assert "[1] paris.md, Towers" in lines
    path = lines[lines.index("Path of naive") + 1 : -1]
    assert [line.split()[0] for line in path] == ["receive", "retrieve", "generate"]


@pytest.mark.parametrize(
    ("question", "reply", "pattern", "said"),
    [
        ("Who are you?", "NOT FOUND", "naive",
         "There are no sources. Refused: the passages do not answer the question, says the model."),
        ("你是谁？", "未找到", "naive", "没有出处。拒答原因：模型认为段落没有回答这个问题。"),
        ("Hello!", "Hello, what shall I look up?", "router", "There are no sources. The answer cites no passage."),
    ],
)  # fmt: skip
def test_an_answer_without_sources_says_why(chat: Chat, question: str, reply: str, pattern: str, said: str) -> None:
    with scripted((None, reply)) as (model, _):
        ran = chat(question, "/sources", model=model, pattern=pattern)
    assert ran.out.splitlines()[-1] == said


def test_another_pattern_answers_from_then_on(chat: Chat) -> None:
    with scripted(STANDS, TALL) as (model, _):
        lines = (
            "Where does the Eiffel Tower stand?",
            "/pattern crag",
            "How tall is the Eiffel Tower?",
            "/why",
            "/pattern",
        )
        ran = chat(*lines, model=model)
    assert "Path of crag" in ran.out
    assert [line[2:6] for line in ran.out.splitlines() if line.startswith("*")] == ["crag"]


def test_a_new_conversation_knows_nothing_of_the_old_one(chat: Chat) -> None:
    with scripted(STANDS, ("Question: And how tall is it?", "NOT FOUND")) as (model, _):
        ran = chat("Where does the Eiffel Tower stand?", "/new", "And how tall is it?", model=model)
    assert ran.out.splitlines()[1].startswith("I could not find")


def test_the_chat_goes_on_after_an_error(chat: Chat) -> None:
    with scripted(STANDS) as (model, _):
        lines = ("/why", "/nope", "/pattern rag", "?!", "Where does the Eiffel Tower stand?")
        ran = chat(*lines, model=model)
    assert ran.status == 0 and ran.out == f"{STANDS[1]}\n"
    errors = ran.err.splitlines()
    assert [error.partition(":")[0] for error in errors] == ["error"] * 4
    assert errors[0] == "error: there is no answer yet: ask something"
    assert errors[1].startswith("error: '/nope' is no command; there are /pattern, ")
    assert errors[2].startswith("error: pattern='rag': unknown")


def test_ctrl_c_stops_the_answer_and_keeps_the_chat(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = iter([KeyboardInterrupt])

    def interrupt_once(live: Live, node: str) -> None:
        for interrupt in nodes:
            raise interrupt

    monkeypatch.setattr(Live, "started", interrupt_once)
    with scripted(STANDS) as (model, _):
        ran = chat("Who are you?", "Where does the Eiffel Tower stand?", model=model)
    assert ran == Ran(0, f"{STANDS[1]}\n", "stopped\n")


def test_quit_ends(chat: Chat) -> None:
    with scripted() as (model, _):
        assert chat("/quit", "Where does the Eiffel Tower stand?", model=model) == Ran(0, "", "")


def test_a_terminal_is_welcomed_and_shows_the_answer_once(chat: Chat) -> None:
    with scripted(STANDS) as (model, _):
        ran = chat("Where does the Eiffel Tower stand?", "/help", model=model, terminal=True)
    assert "Ask about your documents. /help lists the commands" in ran.out and "/sources" in ran.out
    assert ran.out.count(STANDS[1]) == 1
