"""Which questions rest on the turns before them, and when a model's completion of one is taken."""

from collections.abc import Callable

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from graphs.naive import graph
from nodes.standalone import completes, may_point_back, omits, points_back, standalone
from state.context import Context
from tests.doubles import FixedSearch, passage
from tests.scripted import scripted

ENGLISH: list[AnyMessage] = [
    HumanMessage("Which plans does the company offer?"),
    AIMessage("The company offers the Basic plan and the Gold plan [1]."),
]
CHINESE: list[AnyMessage] = [HumanMessage("试用期有多长？"), AIMessage("试用期为三个月[2]。")]


@pytest.mark.parametrize(
    "question",
    [
        "And how tall is it?",
        "Who built it?",
        "Does that also apply to interns?",
        "Who built that tower?",
        "How many people live there?",
        "What about Chile?",
        "How much does the second one cost?",
        "What else did she write?",
        "Why?",
        "那它有多高？",
        "她出生在哪里？",
        "经理呢？",
        "第二个多少钱？",
        "那里有多少人口？",
        "为什么？",
        "第一年也不行吗？",
        "What does its warranty cover?",
        "What is the name of its director?",
        "When did they open?",
        "Is it open to the public?",
        "What does it cost and when is it open?",
        "Does the former include breakfast?",
        "谁批准其预算？",
        "第一个是谁发现的？",
        "那年发生了什么？",
    ],
)
def test_what_points_back(question: str) -> None:
    assert points_back(question)


@pytest.mark.parametrize(
    "question",
    [
        "Is it true that Lima is in Peru?",
        "How does it feel to parachute from an aeroplane?",
        "How long does it take to boil an egg?",
        "Why is it cold in Siberia in winter?",
        "Is there a bus from Oslo to Bergen?",
        "What did Galileo say when he dropped his ball?",
        "Does the museum that Anton Berg founded charge an entrance fee?",
        "Which companies said that they would leave the alliance?",
        "Who is the one and only honorary citizen of Norwick?",
        "How many more employees than Dunmore Ltd does Kestrel Ltd have?",
        "Did Otto Hahn win this year's chemistry prize?",
        "其他国家的货币有哪些？",
        "吉他有几根弦？",
        "应该怎样取消已经发货的订单？",
        "该如何重置K40打印机？",
        "西伯利亚的冬天为什么那么冷？",
        "How do users reset their password?",
        "Is it mandatory to wear a helmet on site?",
        "Which university has its origins in a school of medicine?",
        "Who is the former director of the plant?",
        "What is the speed limit that applies?",
        "为什么报销要三个月？",
        "土耳其的首都是哪里？",
        "加那利群岛在哪里？",
        "尤其适合初学者的课程有哪些？",
        "极其罕见的血型有哪些？",
        "第一个登上月球的人是谁？",
        "员工如何重置他们的密码？",
    ],
)
def test_what_only_looks_like_it(question: str) -> None:
    assert not points_back(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who signs the contract and when does it end?",
        "If an employee quits, how long is their notice period?",
        "What does the handbook say about parking when you use it daily?",
        "员工离职时，他们的通知期是多久？",
        "合同由谁签署，它什么时候到期？",
        "法国何时重建其舰队？",
    ],
)
async def test_a_pronoun_explained_in_the_question_is_left_to_the_model(question: str) -> None:
    assert may_point_back(question) and not points_back(question)
    assert await standalone(HumanMessage(question), ENGLISH, Context(answerer="extractive")) == (question, [], [])
    with scripted(question) as (model, _):
        query, _, _ = await standalone(HumanMessage(question), ENGLISH, Context(chat_model=model))
    assert query == question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("In which year?", True),
        ("How many people died?", True),
        ("是谁设计的？", True),
        ("是哪一年？", True),
        ("What is photosynthesis?", False),
        ("What does RAG mean?", False),
        ("Who painted the Mona Lisa?", False),
        ("Do cats purr?", False),
        ("How are passenger aircraft certified?", False),
        ("什么是光合作用？", False),
        ("你好！", False),
    ],
)
def test_what_says_so_little_that_it_may_rest_on_the_turns_before(question: str, expected: bool) -> None:
    assert omits(question) == expected


@pytest.mark.parametrize(
    ("line", "question", "expected"),
    [
        ("How much does the Gold plan cost?", "How much does the second one cost?", True),
        ("How much does the second one cost?", "How much does the second one cost?", False),
        ("The Gold plan costs 20 euros.", "How much does the second one cost?", False),
        ("How much does the Gold plan cost in 2023?", "How much does the second one cost?", False),
        ("How much does the Silver plan cost?", "How much does the second one cost?", False),
        ("", "How much does the second one cost?", False),
        ("How long is the notice period?", "And how long is the notice period?", True),
        ("How is overtime paid?", "Overtime?", True),
        ("年假有几天？", "年假呢？", True),
        ("年假有几天？", "那年假有几天？", True),
        ("And how long is the notice period?", "And how long is the notice period?", False),
        ("When was the man born?", "When was he born?", False),
        ("Which year?", "In which year?", False),
        ("经理是谁？", "经理呢？", False),
        ("What happened?", "What happened that year?", False),
    ],
)
def test_a_completion_adds_what_was_said_or_stands_alone(line: str, question: str, expected: bool) -> None:
    assert completes(line, question, ["Which plans are there?", "The Basic plan and the Gold plan."]) == expected


@pytest.mark.parametrize(
    ("turns", "question", "said", "expected"),
    [
        (ENGLISH, "How much is the second one?", "How much is the Gold plan?", "How much is the Gold plan?"),
        (CHINESE, "这也适用于实习生吗？", "试用期也适用于实习生吗？", "试用期也适用于实习生吗？"),
        (CHINESE, "经理呢？", "经理的试用期为三个月。", "试用期有多长？ 经理呢？"),
        (ENGLISH, "And how high is the rent?", "How high is the rent?", "How high is the rent?"),
        (ENGLISH, "In which year?", "In which year?", "Which plans does the company offer? In which year?"),
        (ENGLISH, "How many people died?", "How many people died?", "How many people died?"),
    ],
)
async def test_a_follow_up_is_completed_or_joined(
    turns: list[AnyMessage], question: str, said: str, expected: str
) -> None:
    with scripted((question, said)) as (model, chat):
        query, replies, warnings = await standalone(HumanMessage(question), turns, Context(chat_model=model))
    assert (query, len(replies), warnings) == (expected, 1, [])
    assert "[1]" not in chat.prompts[0] and "[2]" not in chat.prompts[0]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was this edict on salt and silver declared by the emperor?", ""),
        ("Does that also apply to interns?", "Which plans does the company offer? "),
    ],
)
async def test_a_model_that_repeats_a_question_is_believed_unless_it_says_little(question: str, expected: str) -> None:
    assert points_back(question)
    with scripted(("Last question", question)) as (model, _):
        query, _, _ = await standalone(HumanMessage(question), ENGLISH, Context(chat_model=model))
    assert query == expected + question


@pytest.mark.parametrize(
    ("turns", "thanks", "question"),
    [(ENGLISH, "thanks, ", "and what about interns?"), (CHINESE, "谢谢，", "那实习生呢？")],
)
async def test_thanks_hide_no_follow_up(turns: list[AnyMessage], thanks: str, question: str) -> None:
    query, _, _ = await standalone(HumanMessage(thanks + question), turns, Context(answerer="extractive"))
    assert query == f"{turns[0].text} {question}"


@pytest.mark.parametrize("text", ["thanks", "ok great", "好的，谢谢"])
async def test_thanks_alone_are_no_follow_up(text: str) -> None:
    with scripted() as (model, _):
        assert await standalone(HumanMessage(text), ENGLISH, Context(chat_model=model)) == (text, [], [])


async def test_braces_are_no_template_variables() -> None:
    with scripted(("What about {turns} and {question}?", "no idea.")) as (model, _):
        await standalone(HumanMessage("What about {turns} and {question}?"), ENGLISH, Context(chat_model=model))


async def test_joined_questions_do_not_pile_up() -> None:
    context = Context(answerer="extractive")
    asked: list[AnyMessage] = []
    for text in ("Who runs Acme?", "Since when is it so?", "And who ran it before?"):
        query, _, _ = await standalone(HumanMessage(text), asked, context)
        asked.append(HumanMessage(text, additional_kwargs={"standalone": query}))
    assert query == "Who runs Acme? And who ran it before?"


@pytest.mark.local
@pytest.mark.parametrize(
    ("turns", "question", "holds"),
    [
        (ENGLISH, "How much does the second one cost?", "Gold"),
        (CHINESE, "这也适用于实习生吗？", "试用期"),
    ],
)
async def test_with_the_embedded_model(turns: list[AnyMessage], question: str, holds: str) -> None:
    query, replies, _ = await standalone(HumanMessage(question), turns, Context())
    assert holds in query and query[-1] in "?？" and len(replies) == 1


def test_the_answer_is_asked_for_with_the_completed_question(finds: Callable[..., FixedSearch]) -> None:
    finds([passage("The Gold plan costs 20 euros.")])
    turns = [*ENGLISH, HumanMessage("How much is the second one?")]
    script = (
        ("Last question", "How much is the Gold plan?"),
        ("Question: How much is the Gold plan?", "20 euros [1]."),
    )
    with scripted(*script) as (model, _):
        result = graph.invoke({"messages": turns}, context=Context(chat_model=model))
    assert result["answer"] == "20 euros [1]."
