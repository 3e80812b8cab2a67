import pytest

from groundgraph.grading.support import SUPPORTED, support

REPORT = (
    "Quarterly report\nAcme shipped 1,200 pumps in March 2021, up from 900 a year before. "
    "Dr. Lena Vogt leads the plant in Graz, which runs on hydropower."
)
中文 = "星河大桥于1968年建成，全长4589米，由王建国担任总工程师。桥上可通行汽车和火车。"


@pytest.mark.parametrize(
    ("claim", "passage", "question"),
    [
        ("Acme shipped 1200 pumps in March 2021.", REPORT, ""),
        ("1,200", REPORT, "How many pumps did Acme ship?"),
        ("The plant is led by Lena Vogt.", REPORT, "Who leads the plant?"),
        ("It runs on hydropower.", REPORT, "What powers the plant?"),
        ("大桥全长4589米。", 中文, "大桥有多长？"),
        ("总工程师是王建国。", 中文, ""),
        ("它建成于1968年。", 中文, "大桥什么时候建成？"),
        ("Acme在2021年3月发运了1200台泵。", REPORT, ""),
        ("工厂由Lena Vogt负责。", REPORT, ""),
        ("The bridge is 4589 metres long and was finished in 1968.", 中文, ""),
    ],
)
def test_backed(claim: str, passage: str, question: str) -> None:
    assert support(claim, passage, question) >= SUPPORTED


@pytest.mark.parametrize(
    ("claim", "passage", "question"),
    [
        ("1,500", REPORT, "How many pumps did Acme ship?"),
        ("Acme shipped 1,500 pumps.", REPORT, "How many pumps did Acme ship?"),
        ("The plant is led by Otto Berger.", REPORT, "Who leads the plant?"),
        ("Bob runs Acme.", REPORT, "Who runs Acme?"),
        ("It runs on coal.", REPORT, "What powers the plant?"),
        ("大桥全长6772米。", 中文, "大桥有多长？"),
        ("总工程师是李明华。", 中文, "总工程师是谁？"),
        ("The bridge was finished in 1975.", 中文, ""),
        ("Acme在2021年发运了5000台泵，营收7亿。", REPORT, ""),
        ("Yes.", REPORT, ""),
        ("是的。", 中文, ""),
        ("", REPORT, ""),
        ("Anything at all", "", ""),
    ],
)
def test_not_backed(claim: str, passage: str, question: str) -> None:
    assert support(claim, passage, question) < SUPPORTED


def test_without_names_and_numbers_meaning_decides_across_languages() -> None:
    claim = "工厂使用水力发电。"
    assert support(claim, REPORT) == 0.0
    assert support(claim, REPORT, similarity=lambda claim, passage: 0.8) == 0.8


def test_repeating_the_question_proves_little() -> None:
    question = "Who leads the plant in Graz?"
    with_echo = support("Otto leads the plant in Graz.", REPORT, question)
    assert with_echo < support("Otto leads the plant in Graz.", REPORT)
