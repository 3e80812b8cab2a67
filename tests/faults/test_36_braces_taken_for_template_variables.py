"""Fault 36: braces in a document or a question are taken for template variables.

Document "{x1}{Q::}" and question "use {my format}": both are verbatim in the prompt.
"""

from collections.abc import Callable

from graphs.naive import graph
from state.context import Context
from tests.doubles import FixedSearch, passage
from tests.scripted import scripted


def test_braces_are_verbatim(finds: Callable[..., FixedSearch]) -> None:
    finds([passage("{x1}{Q::} and {question} stand in the format.")])
    with scripted((None, "The format holds {x1} [1].")) as (model, chat):
        result = graph.invoke({"question": "use {my format}"}, context=Context(chat_model=model))
    assert "{x1}{Q::} and {question} stand in the format." in chat.prompts[0]
    assert "Question: use {my format}\n" in chat.prompts[0]
    assert result["answer"] == "The format holds {x1} [1]."
