"""Why a run refuses is said in the question's language, with its figures."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import nodes
from graphs.crag import graph
from nodes.reason import CHINESE, in_language
from nodes.retrieve import nothing_found
from state.context import Context
from tests.cli import run
from tests.doubles import FixedEvaluator, FixedSearch, passage

QUESTION = "埃菲尔铁塔有多高？"
REASON = "没有段落能回答这个问题（最高得分0.100，需高于0.5）"


@pytest.fixture
def nothing_fits(finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]) -> None:
    finds([passage("Cats purr.")])
    evaluates({"Cats": 0.1})


def test_a_chinese_question_is_refused_in_chinese_and_steps_stay_as_they_are(nothing_fits: None) -> None:
    result = graph.invoke({"question": QUESTION}, context=Context(answerer="extractive"))
    assert result["refusal_reason"] == REASON
    assert result["steps"][-1]["decision"] == "no passage answers the question (best score 0.100, needed above 0.5)"


def test_the_setting_language_decides(nothing_fits: None) -> None:
    result = graph.invoke({"question": "How tall is it?"}, context=Context(answerer="extractive", language="zh"))
    assert result["refusal_reason"] == REASON


def test_the_command_line_says_so_too(nothing_fits: None, capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, "ask", QUESTION, "-p", "crag", "--set", "answerer=extractive").out
    assert f"拒答原因：{REASON}。\n" in said
    assert f"  refuse           {REASON}\n" in said
    assert "no passage" not in said


@pytest.mark.parametrize("where", [{}, {"language": "en"}])
def test_nothing_found_is_said_in_chinese(where: dict[str, str]) -> None:
    said = in_language(nothing_found(Context.parse({"where": where}), ["notes", "work"]), "zh")
    assert said.startswith("在notes, work中") and ("where" in said) == bool(where)


def test_a_reason_of_ones_own_node_stays_as_it_is() -> None:
    assert in_language("the office is closed", "zh") == "the office is closed"


def reasons() -> Iterator[str]:
    """Yield every reason that stands in a node, {} for its figures."""
    for file in sorted(Path(nodes.__file__).parent.glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        known = defaultdict[str, list[ast.expr]](list)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                known[node.targets[0].id].append(node.value)
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "refusal_reason":
                        yield from filter(None, texts(value, known))


def texts(value: ast.expr, known: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Yield the texts that an expression may have the value of."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(next(texts(part, known), "{}") for part in parts)
        case ast.FormattedValue(value=ast.Name(id=name)) | ast.Name(id=name):
            for one in known[name]:
                yield from texts(one, known)
        case ast.IfExp(body=left, orelse=right) | ast.BoolOp(values=[left, right]):
            yield from texts(left, known)
            yield from texts(right, known)


def test_every_reason_of_a_node_is_in_the_table() -> None:
    found, table = set(reasons()), {re.sub(r"\{\w+\}", "{}", english) for english in CHINESE}
    assert len(found) >= 12 and found <= table, found - table
