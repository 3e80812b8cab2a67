"""What is replied to without a search, and what a document may answer, whatever the classifier takes it for."""

import pytest

from nodes.courtesy import beside_courtesies
from nodes.smalltalk import is_about_the_assistant, may_be_answered


@pytest.mark.parametrize(
    "text",
    [
        "Are you open on Christmas?",
        "Where are you located?",
        "Do you have a loyalty programme?",
        "How old is your brewery?",
        "Who are you insured with?",
        "What can you do about noise?",
        "Are you there on Sundays?",
        "do you sell second-hand books",
        "Could you tell me your fax number",
        "I'd like to know what your cancellation policy is",
        "your opening hours please",
        "你们周日营业吗？",
        "贵公司的地址是什么？",
        "你们是谁？",
        "你是什么时候成立的？",
        "您几点下班",
        "你们有会员卡吗",
        "请告诉我你们的传真号",
        "我想知道你们的取消政策",
    ],
)
def test_what_a_document_may_answer(text: str) -> None:
    assert may_be_answered(beside_courtesies(text))


@pytest.mark.parametrize(
    "text",
    [
        "Who are you?",
        "So, what can you do for me?",
        "What's your name?",
        "How are you today?",
        "Are you a human or a robot?",
        "Who made you?",
        "Tell me a joke",
        "do you ever get bored?",
        "你是谁？",
        "你能做什么？",
        "你叫什么名字呀",
        "你好吗？",
        "最近怎么样？",
        "你是真人还是机器？",
        "是谁开发了你？",
        "在吗",
        "给我讲个笑话吧",
    ],
)
def test_what_asks_the_assistant_about_itself(text: str) -> None:
    assert is_about_the_assistant(text) and not may_be_answered(text)


@pytest.mark.parametrize("text", ["have a lovely weekend", "You're amazing, well done", "祝你周末愉快", "你真棒"])
def test_what_asks_nothing(text: str) -> None:
    assert not may_be_answered(text)
