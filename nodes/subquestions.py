"""Sub-questions: which can be searched for, and which wait for the answer of another."""

import re
from collections.abc import Mapping, Sequence

_REFERENCE = re.compile(r"(?<!\w)#\s?(\d)\b")


def references(question: str) -> set[int]:
    """Return the numbers, counted from 1, of the sub-questions whose answers stand in this one as `#1`."""
    return {int(number) for number in _REFERENCE.findall(question)}


def are_in_order(subquestions: Sequence[str]) -> bool:
    """Return whether each refers to earlier ones only."""
    return all(number < place and number for place, one in enumerate(subquestions, 1) for number in references(one))


def ready(subquestions: Sequence[str]) -> list[str]:
    """Return those that can be searched for: that are not given up, and wait for no answer."""
    return [one for one in subquestions if one and not references(one)]


def waiting(subquestions: Sequence[str]) -> list[str]:
    """Return those that wait for the answer of another."""
    return [one for one in subquestions if references(one)]


def needed(subquestions: Sequence[str]) -> dict[int, str]:
    """Return by number those that can be answered and for whose answer another waits."""
    wanted = {number for one in subquestions for number in references(one)}
    return {number: one for number in sorted(wanted) if (one := subquestions[number - 1]) in ready(subquestions)}


def with_answers(subquestions: Sequence[str], answers: Mapping[int, str]) -> list[str]:
    """Return all with these answers in place; one is given up, and left empty, where its answer is not to be had.

    `Mambo #5` is put in as `Mambo 5`: what an answer says is no reference.
    """
    plain = {number: _REFERENCE.sub(r"\1", answer) for number, answer in answers.items()}
    hopeful = {number for number, answer in answers.items() if answer}
    hopeful |= {number for number, one in enumerate(subquestions, 1) if references(one)}

    def filled(question: str) -> str:
        if not references(question) <= hopeful:
            return ""
        return _REFERENCE.sub(lambda match: plain.get(int(match[1])) or match[0], question)

    return [filled(one) for one in subquestions]
