"""Ask a chat model for JSON of a given shape, and read what it says with tolerance."""

import json
from collections.abc import Awaitable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from groundgraph.models.calls import Reply, ask
from groundgraph.models.chat import speaks_openai
from groundgraph.models.features import Feature

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

T = TypeVar("T", bound=BaseModel)

json_schema_feature = Feature()


async def ask_json(
    model: str,
    messages: "Sequence[BaseMessage]",
    schema: type[T],
    *,
    max_tokens: int = 256,
    temperature: float = 0.0,
    top_logprobs: int = 0,
) -> tuple[T | None, Reply]:
    """Return the model's reply as a `schema`, and the reply itself.

    The endpoint is held to the JSON schema if it can be. One that rejects this (400, 422) is remembered, and is told
    the shape in one line at the end of the last message.

    Returns:
        The parsed reply, None if nothing in it fits the schema, which the caller treats as undecided.

    Raises:
        InputError, ModelUnavailable, ModelError: As `ask` does.
    """
    options: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature, "top_logprobs": top_logprobs}

    def call(constrained: bool) -> Awaitable[Reply]:
        if constrained:
            body = {"response_format": _response_format(schema)}
            return ask(model, messages, **options, extra_body=body)
        return ask(model, _with_shape(messages, schema), **options)

    openai = speaks_openai(model.partition(":")[0])
    reply = await (json_schema_feature.attempt(model, call) if openai else call(False))
    return parse_json(reply.text, schema), reply


def parse_json(text: str, schema: type[T]) -> T | None:
    """Return the first JSON object in `text` that fits `schema`, whatever stands around it; None if none does."""
    return next(parse_all(text, schema), None)


def parse_all(text: str, schema: type[T]) -> Iterator[T]:
    """Yield every JSON object in `text` that fits `schema`, inside others and among broken ones too."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
            yield schema.model_validate(value)
        except (json.JSONDecodeError, ValidationError, RecursionError):
            end = start + 1
        start = text.find("{", end)


@cache
def _response_format(schema: type[BaseModel]) -> dict[str, Any]:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    function = convert_to_openai_tool(schema, strict=True)["function"]
    described = {"name": function["name"], "schema": function["parameters"], "strict": True}
    return {"type": "json_schema", "json_schema": described}


def _with_shape(messages: "Sequence[BaseMessage]", schema: type[BaseModel]) -> "list[BaseMessage]":
    *before, last = messages
    line = f"Reply with one JSON object and nothing else: {describe(schema)}"
    return [*before, last.model_copy(update={"content": f"{last.text}\n\n{line}"})]


@cache
def describe(schema: type[BaseModel]) -> str:
    """Return the shape of `schema` in one short line, such as `{"score": "yes" | "no", "reason": string}`."""
    whole = schema.model_json_schema()
    return _shape(whole, whole.get("$defs", {}))


def _shape(part: dict[str, Any], defs: dict[str, Any]) -> str:
    if "$ref" in part:
        return _shape(defs[part["$ref"].rpartition("/")[2]], defs)
    if "const" in part:
        return json.dumps(part["const"], ensure_ascii=False)
    if "enum" in part:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in part["enum"])
    if "anyOf" in part:
        return " | ".join(_shape(choice, defs) for choice in part["anyOf"])
    if part.get("type") == "array":
        return f"[{_shape(part.get('items', {}), defs)}, …]"
    if "properties" in part:
        fields = (f'"{name}": {_shape(field, defs)}' for name, field in part["properties"].items())
        return f"{{{', '.join(fields)}}}"
    if "minimum" in part and "maximum" in part:
        return f"{part['type']} from {part['minimum']} to {part['maximum']}"
    return str(part.get("type", "any"))
