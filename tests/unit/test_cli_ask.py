"""`groundgraph ask`: the answer, how it came about, and what is asked on the way."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli import run, run_at_terminal
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

Capsys = pytest.CaptureFixture[str]
Evaluates = Callable[..., FixedEvaluator]
Finds = Callable[..., FixedSearch]
Web = Callable[..., FixedWeb]

QUESTION = "How tall is the Eiffel Tower?"
ANSWER = "The Eiffel Tower is 330 metres tall [1]."


@pytest.fixture
def tower(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage("The Eiffel Tower is 330 metres tall.", source="paris.md", heading="Paris > Towers")])
    evaluates({"Eiffel": 0.9})


@pytest.fixture
def nothing_fits(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage("Cats purr.")])
    evaluates({"Cats": 0.1, "Eiffel": 0.9})


def test_an_answer_with_its_citations_path_and_cost(tower: None, capsys: Capsys) -> None:
    with scripted(ANSWER) as (model, _):
        ran = run(capsys, "ask", QUESTION, "-p", "crag", "--set", f"chat_model={model}")
    assert ran.status == 0 and ran.err == ""
    lines = ran.out.splitlines()
    assert lines[0] == ANSWER
    assert lines[2:4] == ["[1] paris.md, Paris > Towers", "    “The Eiffel Tower is 330 metres tall.”"]
    path = lines[lines.index("Path of crag") + 1 : -1]
    assert [line.split()[0] for line in path] == ["receive", "retrieve", "grade", "refine", "generate"]
    assert lines[-1].startswith("1 model call, ")


def test_an_endpoint_that_reports_no_tokens(tower: None, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.scripted._usage", lambda *_: None)
    with scripted(ANSWER) as (model, _):
        ran = run(capsys, "ask", QUESTION, "-p", "naive", "--set", f"chat_model={model}")
    assert re.match(r"1 model call, \d\d+ tokens read, 14 written \(estimated\), ", ran.out.splitlines()[-1])


def test_quiet_shows_the_answer_and_its_citations_only(tower: None, capsys: Capsys) -> None:
    with scripted(ANSWER) as (model, _):
        ran = run(capsys, "ask", QUESTION, "-p", "naive", "--quiet", "--set", f"chat_model={model}")
    assert ran.out.startswith(ANSWER) and ran.out.endswith("“The Eiffel Tower is 330 metres tall.”\n")


def test_trace_shows_every_figure_and_the_seconds(tower: None, capsys: Capsys) -> None:
    with scripted(ANSWER) as (model, _):
        ran = run(capsys, "ask", QUESTION, "-p", "crag", "--trace", "--set", f"chat_model={model}")
    assert f'      query = "{QUESTION}"' in ran.out
    assert "Seconds: receive " in ran.out


def test_json_is_one_object(tower: None, capsys: Capsys) -> None:
    with scripted(ANSWER) as (model, _):
        ran = run(capsys, "ask", QUESTION, "-p", "crag", "--json", "--set", f"chat_model={model}")
    assert ran.status == 0 and ran.err == ""
    assert ran.object["answer"] == ANSWER
    assert ran.object["citations"][0] | {"quote": ""} == {
        "number": 1, "source": "paris.md", "locator": "Paris > Towers", "quote": "", "collection": "",
    }  # fmt: skip
    assert ran.object["passages"][0]["score"] == 0.9 and ran.object["passages"][0]["tier"] == "correct"
    assert not ran.object["refused"] and ran.object["pattern"] == "crag"
    assert {"steps", "warnings", "usage", "seconds", "refusal_reason"} <= set(ran.object)


def test_a_refusal_is_plain_and_exits_3(nothing_fits: None, capsys: Capsys) -> None:
    with scripted() as (model, _):
        ran = run(capsys, "ask", QUESTION, "-p", "crag", "--quiet", "--set", f"chat_model={model}")
    assert ran.status == 3
    answer, reason = ran.out.splitlines()
    assert answer == "I could not find an answer to this in your documents."
    assert reason.startswith("Refused: ")


def test_settings_override_the_profile(finds: Finds, tmp_path: Path, capsys: Capsys) -> None:
    search = finds([passage(f"{n} metres is the Eiffel Tower tall.") for n in range(9)])
    profile = tmp_path / "mine.toml"
    profile.write_text('top_k = 7\nlanguage = "zh"\n[crag]\ntheta_high = 0.8\n')
    with scripted("埃菲尔铁塔高 330 米[1]。") as (model, chat):
        options = ["-p", "naive", "--profile", str(profile), "--set", "top_k=2", "--set", f"chat_model={model}"]
        ran = run(capsys, "ask", QUESTION, *options, "--json")
    assert ran.object["steps"][1]["node"] == "retrieve"
    assert "问题" in chat.prompts[0] and chat.prompts[0].count("metres is the Eiffel Tower tall") == 2
    assert search.queries == [QUESTION]


def test_a_preset_is_named_and_what_is_set_wins(tower: None, capsys: Capsys) -> None:
    with scripted() as (model, _):
        options = ["-p", "crag", "--json", "--preset", "strict", "--set", f"chat_model={model}"]
        ran = run(capsys, "ask", QUESTION, *options, "--set", "crag.theta_low=0.95", "--set", "crag.theta_high=1")
    assert ran.status == 3 and ran.object["steps"][0]["figures"]["preset"] == "strict"
    ran = run(capsys, "ask", QUESTION, "--preset", "mild")
    assert ran.status == 2 and ran.err.startswith("error: Context.preset='mild': Input should be 'auto', ")


def test_the_answer_is_written_to_a_terminal_as_it_comes(
    tower: None, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    written: list[str] = []
    monkeypatch.setattr("groundgraph.cli.live.Live.piece", lambda live, text: written.append(text))
    pieces = ["The Eiffel Tower in Paris, on the river Seine, ", "is 330 metres ", "tall [1]."]
    with scripted(Line(None, "".join(pieces), pieces=pieces)) as (model, _):
        run_at_terminal(capsys, monkeypatch, "ask", QUESTION, "-p", "naive", "--set", f"chat_model={model}")
    assert len(written) > 1
    assert "".join(written) == "".join(pieces)


def test_what_was_streamed_is_not_written_again(tower: None, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    with scripted(ANSWER) as (model, _):
        options = ["-p", "naive", "--quiet", "--set", f"chat_model={model}"]
        ran = run_at_terminal(capsys, monkeypatch, "ask", QUESTION, *options)
    assert ran.out.count(ANSWER) == 1 and ran.out.startswith(f"{ANSWER}\n")


def test_control_characters_of_a_document_do_not_reach_the_terminal(finds: Finds, capsys: Capsys) -> None:
    finds([passage("The tower\x1b]0;owned\x07 is 330 metres tall.", source="evil\x1b[2J.md")])
    with scripted("It is 330 metres \x1b[31mtall [1].") as (model, _):
        ran = run(capsys, "ask", QUESTION, "-p", "naive", "--trace", "--set", f"chat_model={model}")
    assert ran.status == 0 and "\x1b" not in ran.out and "\x07" not in ran.out


@pytest.mark.parametrize(
    ("said", "sent"), [("y", True), ("yes", True), ("n", False), ("Eiffel Tower height", "Eiffel Tower height")]
)
def test_a_person_is_asked_before_the_web_is(
    said: str,
    sent: bool | str,
    nothing_fits: None,
    web: Web,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capsys,
) -> None:
    provider = web("The Eiffel Tower is 330 metres tall.")
    monkeypatch.setattr("typer.prompt", lambda *_, **__: said)
    answer = [Line("330", ANSWER)] if sent else []
    with scripted(("search", "eiffel tower height"), *answer) as (model, _):
        options = ["-p", "crag", "--trace", "--set", "web_search=ask", "--set", f"chat_model={model}"]
        ran = run_at_terminal(capsys, monkeypatch, "ask", QUESTION, *options)
    assert ran.status == (0 if sent else 3)
    assert provider.queries == ([] if not sent else ["eiffel tower height" if sent is True else sent])
    assert "Ask tavily for: eiffel tower height" in ran.err


def test_without_a_terminal_the_web_is_denied_with_a_warning(nothing_fits: None, web: Web, capsys: Capsys) -> None:
    provider = web("The Eiffel Tower is 330 metres tall.")
    with scripted(("search", "eiffel tower height")) as (model, _):
        options = ["-p", "crag", "--json", "--set", "web_search=ask", "--set", f"chat_model={model}"]
        ran = run(capsys, "ask", QUESTION, *options)
    assert ran.status == 3 and provider.queries == []
    assert "web search for 'eiffel tower height' denied" in ran.object["warnings"][-1]


def test_json_keeps_chinese_readable(finds: Finds, capsys: Capsys) -> None:
    finds([passage("埃菲尔铁塔高 330 米。")])
    with scripted("埃菲尔铁塔高 330 米[1]。") as (model, _):
        ran = run(capsys, "ask", "埃菲尔铁塔有多高？", "-p", "naive", "--json", "--set", f"chat_model={model}")
    assert "埃菲尔铁塔" in ran.out and json.loads(ran.out)["answer"].startswith("埃菲尔铁塔高 330 米")


def test_a_refusal_through_the_router_is_written_once(
    nothing_fits: None, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"simple_fact": 0.9})
    with scripted() as (model, _):
        ran = run_at_terminal(capsys, monkeypatch, "ask", QUESTION, "--quiet", "--set", f"chat_model={model}")
    assert ran.status == 3
    assert ran.out.count("I could not find") == 1


def test_a_refusal_by_the_model_is_written_once(tower: None, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    with scripted("NOT FOUND") as (model, _):
        options = ["-p", "naive", "--quiet", "--set", f"chat_model={model}"]
        ran = run_at_terminal(capsys, monkeypatch, "ask", QUESTION, *options)
    assert ran.status == 3
    assert ran.out.count("I could not find") == 1 and "NOT FOUND" not in ran.out


def test_confidence_shows_how_sure_the_model_was_of_each_sentence(
    tower: None, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    text = "The Eiffel Tower is 330 metres tall [1]. It is brown."
    options = ["-p", "flare", "--quiet", "--confidence", "--set", "chat_model=scripted:test"]
    line = Line(None, text, logprobs=logprobs_of(text, {"330": 0.5, "brown": 0.05}), times=2)
    with scripted(line):
        ran = run(capsys, "ask", QUESTION, *options, "--set", "flare.theta=0")
        colored = run_at_terminal(capsys, monkeypatch, "ask", QUESTION, *options, "--set", "flare.theta=0")
    table = ran.out[ran.out.index("Confidence") :]
    assert table == (
        "Confidence\n  0.50  The Eiffel Tower is 330 metres tall [1].  (least sure of: 330)\n"
        "  0.05  It is brown.  (least sure of: brown)\n"
    )
    assert "\x1b[33m  0.50" in colored.out and "\x1b[31m  0.05" in colored.out


def test_confidence_where_there_is_none(tower: None, capsys: Capsys) -> None:
    with scripted(ANSWER) as (model, _):
        ran = run(capsys, "ask", QUESTION, "-p", "naive", "-q", "--confidence", "--set", f"chat_model={model}")
    assert ran.out.endswith("Confidence\n  no sentence has one: the pattern flare measures it\n")
    ran = run(capsys, "ask", QUESTION, "--confidence", "--json")
    assert ran.status == 2 and ran.object["error"].startswith("--confidence has no effect with --json")
