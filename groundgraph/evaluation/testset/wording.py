"""Faults of a question that its wording shows, without a search: a pure check.

Of the human questions in train and validation of `data/qa` with short answers, 4 % (XQuAD, English) and 6 % (XQuAD,
Chinese) of those with one passage have a fault, and 14 % (MuSiQue) and 31 % (2Wiki) of those with two: a yes or no
stands in no passage, and some are answered by one passage alone.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from groundgraph.evaluation.metrics.answers import answer_tokens, containment
from groundgraph.evaluation.testset.attempts import Attempt
from groundgraph.evaluation.testset.records import Reason
from groundgraph.evaluation.testset.write import Made
from groundgraph.grading.support import SUPPORTED, support
from groundgraph.grading.terms import content_terms, key_terms
from nodes.language import Language, language_of
from state.context import Context

LONGEST = 300
"""Characters of a question."""
LONGEST_ANSWER = {"en": 25, "zh": 40}
"""Words, or Chinese characters, of an answer that others can be held against."""
COPIED = 0.75
"""Share of a question's words that stand in its passage in one run, from which it is a copy."""
COPIED_RUN = {"en": 6, "zh": 10}
"""Words, or Chinese characters, of the shortest run that makes one."""
ALIKE = 0.75
"""Share of the content terms of two questions that they share, from which they are one."""
ALIKE_ANSWERED = 0.4
"""The same for two questions with the same answer."""
NAMED_TERMS = 2
"""Content terms before a pronoun from which it has something to stand for; a name is enough."""
OWN_TERMS = 2
"""Content terms of question and answer that each of two passages must hold alone; a name or number is enough."""

_POINTS_AT_TEXT = re.compile(
    r"\b(?:the|this|that|these|those|given|provided|above|following|two|both)\s+(?:\w+\s+)?"
    r"(?:passages?|texts?|excerpts?|documents?|articles?|paragraphs?|sentences?|snippets?)\b"
    r"|\b(?:according to|mentioned in|described in|stated in) (?:the|this)\b(?=\s*(?:passage|text|author|above|$|\?))"
    r"|(?:本|原|该|此|上|下)(?:文|段)(?![化学字明物章])|文[中内](?!文)|(?:这|该|两|上述|以下)[个篇段]?(?:段落|文章|文档|文本|材料|句子|段)",
    re.IGNORECASE,
)
_POINTS_AT_THING = re.compile(
    r"\b(?:this|these|those)\b|(?<![应本])该|这[个种些家位次项]?|此[次处人外事]|上述", re.IGNORECASE
)
_UNNAMED = re.compile(
    r"\bthe (?:actor|actress|article|authors?|battle|book|case|character|city|club|company|country|event|expedition|"
    r"experiment|film|game|group|incident|law|man|match|movie|narrator|novel|paper|participants|player|product|project|"
    r"report|researchers|ride|series|show|singer|song|speaker|study|survey|team|war|website|woman)\b"
    r"(?! (?:of|that|who|which|called|named|by|in|for|with|from)\b)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs)\b|(?<!其)[他她它](?![人方国])", re.IGNORECASE
)


def wording_fault(attempt: Attempt, made: Made) -> Reason | None:
    """Return what is wrong with the wording of a question and its answer; None if nothing is."""
    question, answer = made.question, made.answer
    answerable = attempt.kind != "unanswerable"
    if not _is_question(question) or (answerable and not answer_tokens(answer)):
        return "no question in the reply"
    if language_of(question, Context()) != attempt.language:
        return "in another language than its passage"
    if not stands_alone(question):
        return "does not stand alone"
    if any(is_copied(question, passage.page_content, attempt.language) for passage in attempt.passages):
        return "copied from its passage"
    if not answerable:
        held = {term for passage in attempt.passages for term in content_terms(passage.context)}
        return "its passage leaves nothing of it out" if held.issuperset(content_terms(question)) else None
    if attempt.kind == "single" and containment(question, [answer], attempt.language):
        return "holds its own answer"
    if len(answer_tokens(answer, attempt.language)) > LONGEST_ANSWER[attempt.language]:
        return "answer is too long"
    texts = [passage.context for passage in attempt.passages]
    if not agrees(answer, "\n\n".join(texts), question, attempt.language):
        return "answer is not in its passage"
    return None if needs_all(f"{question} {answer}", texts) else "one passage is enough"


def _is_question(text: str) -> bool:
    return bool(content_terms(text)) and len(text) <= LONGEST and text.endswith(("?", "？"))


def stands_alone(question: str) -> bool:
    """Tell whether a question can be understood without a text: it points at none, and at nothing left unnamed."""
    if _POINTS_AT_TEXT.search(question) or _POINTS_AT_THING.search(question):
        return False
    if _UNNAMED.search(question) and not key_terms(question):
        return False
    pronoun = _PRONOUN.search(question)
    if pronoun is None:
        return True
    before = question[: pronoun.start()]
    return bool(key_terms(before)) or len(content_terms(before)) >= NAMED_TERMS


def is_copied(question: str, text: str, language: Language) -> bool:
    """Tell whether most words of a question stand in a text in one run."""
    asked, there = answer_tokens(question, language), answer_tokens(text, language)
    run = SequenceMatcher(None, asked, there, autojunk=False).find_longest_match()
    return run.size >= max(COPIED * len(asked), COPIED_RUN[language])


def agrees(answer: str, text: str, question: str, language: str) -> bool:
    """Tell whether an answer stands in a text, literally or by its terms; see `grading.support`."""
    return bool(containment(text, [answer], language)) or support(answer, text, question) >= SUPPORTED


def needs_all(claim: str, texts: Sequence[str]) -> bool:
    """Tell whether each of several texts holds terms of a claim that no other of them holds."""
    wanted, keys = frozenset(content_terms(claim)), key_terms(claim)
    held = [wanted.intersection(content_terms(text)) for text in texts]
    for place, terms in enumerate(held):
        own = terms.difference(*held[:place], *held[place + 1 :])
        if len(texts) > 1 and len(own) < OWN_TERMS and not own & keys:
            return False
    return True


def alike(one: Made, other: Made, language: str) -> bool:
    """Tell whether two questions ask the same: they share most of their terms, and all names and numbers."""
    first, second = frozenset(content_terms(one.question)), frozenset(content_terms(other.question))
    if not (key_terms(one.question) <= second and key_terms(other.question) <= first):
        return False
    answers = [answer_tokens(made.answer, language) for made in (one, other)]
    enough = ALIKE_ANSWERED if answers[0] and answers[0] == answers[1] else ALIKE
    return len(first & second) >= enough * len(first | second)
