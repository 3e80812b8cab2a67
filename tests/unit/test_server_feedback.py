"""Runs on a server are kept on record, and feedback on them is given over HTTP."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from starlette.schemas import SchemaGenerator
from starlette.testclient import TestClient

from graphs.catalogue import load
from groundgraph.grading.runs import all_feedback, recent_runs
from groundgraph.server.app import GivenFeedback, app
from groundgraph.settings import get_settings
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.scripted import Line, scripted

RUN = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
TOWER, CATS = "The tower is 330 metres high.", "Cats purr near the tower."
ASKED = {"question": "How high is the tower?"}
Given = Callable[..., Any]


def served(run: uuid.UUID = RUN, **configurable: str) -> Any:
    """Return a config such as a LangGraph server gives a run."""
    return {"run_id": run, "configurable": {"graph_id": "crag", "thread_id": "1", **configurable}}


@pytest.fixture(autouse=True)
def documents(finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]) -> None:
    finds([passage(TOWER), passage(CATS)])
    evaluates({"330": 0.9, "Cats": 0.6})


async def ask(pattern: str = "crag", config: Any = None, **settings: Any) -> Any:
    with scripted(Line(None, "It is 330 metres high [1].")) as (model, _):
        return await load(pattern).ainvoke(ASKED, config, context={"chat_model": model, **settings})


def post(body: Any) -> Any:
    content = {"content": body} if isinstance(body, str) else {"json": body}
    return TestClient(app).post("/feedback", **content)


async def test_a_run_on_the_server_is_judged_by_its_id() -> None:
    await ask(config=served())
    (kept,) = recent_runs()
    assert (kept.id, kept.pattern, kept.question, kept.cited) == (str(RUN), "crag", ASKED["question"], (1,))
    assert [one.score for one in kept.passages] == [0.9, 0.6]
    answered = post({"run": str(RUN).upper(), "thumb": "up"})
    assert (answered.status_code, answered.json()) == (201, {"labelled": 1})
    assert post({"run": str(RUN), "thumb": "down", "passage": 2}).status_code == 201
    assert [(one.passage, one.label, one.score, one.run) for one in all_feedback()] == [
        (TOWER, 1, 0.9, str(RUN)),
        (CATS, 0, 0.6, str(RUN)),
    ]


async def test_a_pattern_inside_the_router_is_no_run_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"simple_fact": 0.9})
    await ask("router", config=served())
    assert [one.pattern for one in recent_runs()] == ["router"]


async def test_what_no_server_runs_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    await ask()
    await ask(config={"run_id": RUN})
    monkeypatch.setenv("GROUNDGRAPH_RECORD_RUNS", "0")
    get_settings.cache_clear()
    await ask(config=served())
    assert recent_runs() == []


async def test_a_run_that_waits_for_a_person_is_recorded_when_it_ends(
    finds: Callable[..., FixedSearch], web: Callable[..., FixedWeb]
) -> None:
    finds([passage("Nothing of the kind.")])
    web(TOWER)
    keeping = load("crag").copy(update={"checkpointer": InMemorySaver()})
    with scripted(("search query", "tower"), ("330", "It is 330 metres high [1].")) as (model, _):
        context = {"chat_model": model, "web_search": "ask"}
        await keeping.ainvoke(ASKED, served(), context=context)
        assert recent_runs() == []
        second = uuid.uuid4()
        await keeping.ainvoke(Command(resume=True), served(second), context=context)
    assert [(one.id, one.question) for one in recent_runs()] == [(str(second), ASKED["question"])]


async def test_a_disk_that_does_not_take_the_record_costs_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    home = get_settings().home
    home.parent.mkdir(parents=True, exist_ok=True)
    home.write_text("a file", encoding="utf-8")
    assert (await ask(config=served()))["answer"] == "It is 330 metres high [1]."
    assert "on_chain_end" in caplog.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("thumbs up", "body='thumbs up': Invalid JSON"),
        ("[]", "body=[]: Input should be an object"),
        ({"thumb": "up"}, "run={'thumb': 'up'}: Field required"),
        ({"run": "last", "thumb": "up"}, "run='last': String should match pattern"),
        ({"run": "0123", "thumb": "up"}, "run='0123': String should match pattern"),
        ({"run": str(RUN), "thumb": "maybe"}, "thumb='maybe': Input should be 'up' or 'down'"),
        ({"run": str(RUN), "thumb": "up", "passage": 0}, "passage=0: Input should be greater than or equal to 1"),
        ({"run": str(RUN), "thumb": "up", "passage": "1"}, "passage='1': Input should be a valid integer"),
        ({"run": str(RUN), "thumb": "up", "by": "me"}, "by='me': Extra inputs are not permitted"),
    ],
)
def test_a_body_that_is_no_feedback(body: Any, said: str) -> None:
    answered = post(body)
    assert answered.status_code == 422 and answered.json()["detail"].startswith(said)
    assert answered.json()["detail"].endswith('; give {"run": run_id, "thumb": "up" or "down", "passage": N}')


def test_the_route_stands_in_the_description_of_the_server() -> None:
    described = SchemaGenerator({}).get_schema(app.routes)["paths"]["/feedback"]["post"]
    assert described["responses"].keys() == {201, 404, 422}
    (body,) = described["requestBody"]["content"].values()
    assert body["schema"]["properties"].keys() == GivenFeedback.model_fields.keys()


async def test_what_is_not_on_record() -> None:
    answered = post({"run": str(RUN), "thumb": "up"})
    assert answered.status_code == 404 and f"no run '{RUN}' on record" in answered.json()["detail"]
    await ask(config=served())
    answered = post({"run": str(RUN), "thumb": "up", "passage": 3})
    assert answered.status_code == 404 and "passage 3: run" in answered.json()["detail"]
    assert all_feedback() == []
