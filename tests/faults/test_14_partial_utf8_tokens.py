"""Fault 14: tokens that hold only some bytes of a character.

Partial UTF-8 tokens: text "😊好。Ok.", tokens "�"×4,"好","。","Ok","." → sentences "😊好。" and "Ok."; no "�" in a
query or an answer.
"""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graphs.catalogue import load
from groundgraph.models import Reply, ask, stream, tokens_between
from tests.doubles import FixedSearch, passage
from tests.scripted import Line, scripted

TOKENS = ["�", "�", "�", "�", "好", "。", "Ok", "."]
WITHOUT_BYTES = {"content": [{"token": token, "logprob": -n} for n, token in enumerate(TOKENS)]}
RAW = [[byte] for byte in "😊".encode()] + [list(token.encode()) for token in TOKENS[4:]]
WITH_BYTES = {"content": [{"token": token, "logprob": -n, "bytes": RAW[n]} for n, token in enumerate(TOKENS)]}


async def reply(text: str, logprobs: dict[str, Any]) -> Reply:
    with scripted(Line(None, text, logprobs=logprobs)) as (name, _):
        return await ask(name, [HumanMessage("Greet.")], top_logprobs=1)


@pytest.mark.parametrize("logprobs", [WITHOUT_BYTES, WITH_BYTES])
async def test_each_sentence_finds_its_tokens(logprobs: dict[str, Any]) -> None:
    said = await reply("😊好。Ok.", logprobs)
    assert said.text == "😊好。Ok."
    first = tokens_between(said.text, said.logprobs or (), 0, 3)
    second = tokens_between(said.text, said.logprobs or (), 3, 6)
    assert [token.logprob for token in first] == [0, -1, -2, -3, -4, -5]
    assert [token.token for token in second] == ["Ok", "."]


async def test_an_endpoint_that_decodes_token_by_token_is_mended_from_the_bytes() -> None:
    assert (await reply("����好。Ok.", WITH_BYTES)).text == "😊好。Ok."


async def test_a_text_cut_inside_a_character_loses_only_that() -> None:
    assert (await reply("好。��", WITHOUT_BYTES)).text == "好。"


async def test_no_partial_character_is_streamed() -> None:
    with scripted(Line(None, "����好。", pieces=["�", "���好", "。"])) as (name, _):
        *pieces, last = [piece async for piece in stream(name, [HumanMessage("Greet.")])]
    assert pieces == ["好", "。"]
    assert isinstance(last, Reply)
    assert last.text == "好。"


@pytest.mark.parametrize("logprobs", [WITHOUT_BYTES, WITH_BYTES])
def test_flare_writes_and_searches_without_partial_characters(
    logprobs: dict[str, Any], finds: Callable[..., FixedSearch]
) -> None:
    """The tokens' log probabilities fall from 0 to -7: of "😊好。" the full stop is masked, of "Ok." everything."""
    search = finds([passage("好。"), passage("Ok.")])
    text = "😊好。Ok." if logprobs is WITHOUT_BYTES else "����好。Ok."
    with scripted(Line(None, text, logprobs=logprobs)) as (name, _):
        context = {"chat_model": name, "top_k": 2, "flare": {"theta": 0.02, "beta": 0.01}}
        result = load("flare").invoke({"question": "好吗？"}, context=context)
    sentences = [step["figures"]["sentence"] for step in result["steps"] if step["node"] == "append"]
    assert [sentence.partition(" [")[0] for sentence in sentences] == ["😊好。", "Ok."]
    assert "�" not in str(result["answer"]) and not any("�" in query for query in search.queries)
    assert search.queries[1:] == ["😊好", "好吗？"]
