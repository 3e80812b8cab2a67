"""FLARE looks no further ahead than `flare.sentence_tokens`, whatever the endpoint does with a limit."""

from collections.abc import Callable

import pytest

from groundgraph.models import Continuation, Reply, TokenLogprob
from groundgraph.models.logprobs import token_logprobs
from nodes.sentence import first_sentence, is_whole
from nodes.write_on import draft_of
from state.context import Context
from tests.flare import ASK, GO_ON, ask, figures, first, path, says, stock
from tests.logprobs import logprobs_of
from tests.scripted import scripted

PLACE = Continuation([], {}, continues=False)
STANDS = "It stands and stands and stands and stands and stands there"
LONG = " ".join(f"It is {number} metres tall [1]." for number in range(330, 390))


def drafted(reply: Reply, tokens: int = 16, written: str = "") -> "tuple[str, bool]":
    draft = draft_of(reply, written, PLACE, Context(flare={"sentence_tokens": tokens}))  # type: ignore[arg-type]
    assert all(token["end"] <= len(draft["text"]) for token in draft["tokens"])
    return draft["text"], draft["ended"]


def with_logprobs(text: str) -> Reply:
    from langchain_core.messages import AIMessage

    return Reply(text, logprobs=token_logprobs(AIMessage(text, response_metadata={"logprobs": logprobs_of(text)})))


def test_a_reply_beyond_the_limit_is_cut_at_it_token_by_token() -> None:
    assert drafted(with_logprobs(LONG)) == ("It is 330 metres tall [1]. It is 331 metres tall ", False)
    assert drafted(with_logprobs("It is tall. It is old.")) == ("It is tall. It is old.", True)


def test_the_first_sentence_that_is_kept_has_its_own_probabilities() -> None:
    draft = draft_of(with_logprobs(LONG), "", PLACE, Context(flare={"sentence_tokens": 16}))  # type: ignore[arg-type]
    text, tokens = first_sentence(draft)
    assert text == "It is 330 metres tall [1]." and is_whole(draft)
    assert [text[token["start"] : token["end"]].strip() for token in tokens] == "It is 330 metres tall .".split()


@pytest.mark.parametrize(
    ("text", "reported", "kept"),
    [
        (
            STANDS,
            0,
            "It stands and stands and stands and",
        ),
        (STANDS, 13, None),  # an estimate is no count
        (STANDS * 3, 13, "It stands and stands and stands and"),
        ("铁塔很高铁塔很高铁塔很高铁塔很高铁塔", 0, "铁塔很高铁塔很高铁塔很高铁塔很高"),
        ("铁塔很高铁塔很高铁塔很高铁塔很高铁塔", 12, None),
        ("It is tall.", 900, None),  # its thinking was long
    ],
)
def test_without_probabilities_tokens_are_estimated(text: str, reported: int, kept: str | None) -> None:
    found, ended = drafted(Reply(text, completion_tokens=reported))
    assert ended == (kept is None)
    assert found == text if kept is None else found.startswith(kept) and len(found) < len(text)


def test_probabilities_of_the_beginning_alone_do_not_count_the_rest() -> None:
    found, ended = drafted(Reply(LONG, logprobs=(TokenLogprob("It", -0.1), TokenLogprob(" is", -0.1))))
    assert len(found) <= 48 and not ended


@pytest.mark.parametrize(
    ("cut", "goes_on", "answer"),
    [
        ("```\nif x:\n    y = 1", "y = 1\n```\nIt is old [1].", "```\nif x:\n    y = 1\n```\nIt is old [1]."),
        ("```\nif x:\n  ", "if x:\n    y = 1\n```", "```\nif x:\n    y = 1\n```"),  # it may be cut in the indentation
        ("```\nif x:\n    y = 1\n```", "It is old [1].", "```\nif x:\n    y = 1\n```\nIt is old [1]."),
        ("- It is tall [1]\n\nIt is", "It is old [1].", "- It is tall [1]\n\nIt is old [1]."),
        ("- It is tall [1]", "It is old [1].", "- It is tall [1]\nIt is old [1]."),
        ("- It is tall [1]\n- It", "- It is old [1]", "- It is tall [1]\n- It is old [1]"),
        ("塔高3.", "3.5米[1]。", "塔高3.5米 [1]。"),
        ("塔高3", "3.5米[1]。", "塔高3.5米 [1]。"),
        ("It costs $3.", "$3.5, i.e. 3 euros [1].", "It costs $3.5, i.e. 3 euros [1]."),
        ("It costs 3 euros, i.", "i.e. it is cheap [1].", "It costs 3 euros, i.e. it is cheap [1]."),
        ("The notice per", "period is long [1].", "The notice period is long [1]."),
    ],
)
def test_what_the_limit_cuts_is_joined_as_it_was_written(
    finds: Callable[..., object],
    evaluates: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
    cut: str,
    goes_on: str,
    answer: str,
) -> None:
    """The endpoint writes a message of its own, and begins with the line, word or number that was cut."""
    finds([])
    evaluates({"Tower": 0.9})
    stock(monkeypatch)
    with scripted(says(first, cut, finish_reason="length"), says(GO_ON, goes_on)) as (model, _):
        assert ask(model, require_citations=False)["answer"] == answer


def test_an_endpoint_that_heeds_no_limit_is_asked_to_write_on(
    finds: Callable[..., object], evaluates: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([])
    evaluates({"Tower": 0.9})
    stock(monkeypatch)
    rest = " ".join(f"It is {number} metres tall [1]." for number in range(400, 460))
    with scripted(says(first, LONG), says(GO_ON, rest, times=None)) as (model, chat):
        result = ask(model, flare={"sentence_tokens": 20, "max_steps": 4})
    assert [figure["sentence"] for figure in figures(result, "append")] == [
        f"It is {number} metres tall [1]." for number in (330, 331, 400, 401)
    ]
    assert path(result).count("draft") == 4
    assert all("389" not in prompt for prompt in chat.prompts if ASK in prompt)
