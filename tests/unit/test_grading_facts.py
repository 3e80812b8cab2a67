"""Whether the numbers and names of a claim stand in a passage."""

import pytest

from groundgraph.grading.facts import facts_stand

CONTRACT = """Contract
The notice period is three months for employees and two weeks for interns. Overtime is paid at 125 %, parking costs €40.

| Office | Opening | Staff |
| --- | --- | --- |
| Bern | 08:00 | 12 |
| Basel | 09:00 | 30 |
"""
HOLIDAYS = "每位员工每年有二十五天年假，实习生有两周。公司建成于1998年，高468米。"


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("Three months.", ""),
        ("It is 3 months for employees and two weeks for interns.", ""),
        ("Overtime is paid at 125 percent.", ""),
        ("Parking costs 40 euros.", ""),
        ("The Bern office has a staff of 12.", ""),
        ("The Basel office has 30 staff.", ""),
        ("There are 30 employees in Basel.", "How many employees are in Basel?"),
        ("员工通知期为三个月。", ""),
        ("Employees have 25 days.", ""),
    ],
)
def test_what_stands_there(claim: str, question: str) -> None:
    assert facts_stand(claim, HOLIDAYS if "days" in claim else CONTRACT, question)


@pytest.mark.parametrize(
    "claim",
    ["It is 12 years.", "Forty-two bananas.", "Forty-two.", "One month.", "Thirty weeks.", "It is three weeks.",
     "The chief is Otto Berger.", "员工通知期为五个月。", "It is 99 percent."],
)  # fmt: skip
def test_what_does_not(claim: str) -> None:
    assert not facts_stand(claim, CONTRACT)


@pytest.mark.parametrize(
    ("claim", "stands"),
    [("年假有25天。", True), ("年假有二十五天。", True), ("实习生有2周。", True), ("高468米，建成于1998年。", True),
     ("年假有五天。", False), ("年假有一百天。", False), ("实习生有25周。", False)],
)  # fmt: skip
def test_in_chinese(claim: str, stands: bool) -> None:
    assert facts_stand(claim, HOLIDAYS) == stands
