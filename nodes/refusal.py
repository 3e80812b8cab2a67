"""How a model says that the passages do not answer, that it does not know, or that it will not help."""

import re
from collections.abc import Sequence

from groundgraph.grading.terms import content_terms
from groundgraph.knowledge.passage import Passage
from nodes.cite import cited_numbers, statements
from nodes.prompt import MARKS, unmarked

_NOT_FOUND = (
    r"not[ _]found(?=[^\S\n]*(?:[^\w\s]|\n|$))|未找到|没有找到|段落[中里]?都?(?:没有|未)"
    r"|(?:the |these |none of the )?(?:provided |given )?passages? (?:do|does)(?: not|n['’]t)"
    r"|(?:the|this|these) (?:provided |given )?(?:documents?|texts?) do(?:es)?(?: not|n['’]t) "
    r"(?:mention|provide|contain|specify|say|state|answer|give)"
    r"|(?:[该本这](?:段落|段文字|文档|文本)|文档|文本|资料|上下文)[中里]?(?:都|也|均)?(?:没有|并?未)"
    r"(?:提及|提到|提供|说明|给出|包含|涉及)(?![的者])"
)
_UNABLE = (
    r"i(?: ca(?:nnot|n['’]?t|n not)| could(?: not|n['’]?t)|(?: a|['’])m (?:unable|not able) to) (?:\w+ )?"
    r"(?:answer|help|assist|find|provide|determine|tell|say|give|rewrite|rephrase|comply|fulfil|do (?:that|this))"
)
_UNKNOWN = (
    r"(?:i(?: a|['’])m afraid(?: that)? )?i (?:do not|don['’]?t) (?:know|have|find|understand)"
    r"|i(?: a|['’])m (?:not sure|sorry|afraid (?:i|not|that|there|the)\b)"
    r"|sorry(?=\W*$|[,.!]| but\b| i\b)|apologies|i apologi[sz]e|unfortunately,? i\b|as an ai\b"
    r"|as a (?:large )?language model,? i\b|(?:please|(?:can|could) you)(?: please)? provide (?:me with )?"
    r"(?:more|additional|further) (?:\w+ )?(?:context|information|details)\b(?! (?:to|with|in|by|when|if)\b)"
    r"|(?:no (?:\w+ )?(?:information|answer)(?: (?:is|was))?(?: (?:available|found|given|provided))?"
    r"|unknown|n/a|not (?:known|stated|mentioned|given|provided|specified|available))\W*$"
)
_CHINESE = (
    r"(?:很|非常|十分)?抱歉|对不起|很遗憾|我?(?:不知道|不清楚|不确定)\W*$|我(?:不知道|不清楚|不确定|没有(?:找到|相关|足够))"
    r"|(?:(?:根据|依据|基于|从).{0,12}(?:信息|内容|资料|段落|文档|上下文)[中里]?[，,]?)?"
    r"(?:我)?(?:无法|不能)(?:回答|提供|确定|判断|得知|改写|帮|协助|满足)(?![^，。；！？\n]{0,12}[的者][，,])"
    r"|作为一?[个名]?(?:ai|人工智能|(?:大型?)?语言模型)"
    r"|(?:没有(?:相关)?(?:信息|内容|答案)|未提[及到]|没有提[及到])\W*$"
)
REFUSAL = re.compile(
    rf"(?:{MARKS.pattern}|\d{{1,2}}[.)、]|[\W_])*(?P<phrase>{_NOT_FOUND}|{_UNABLE}|{_UNKNOWN}|{_CHINESE})",
    re.IGNORECASE,
)
"""How a reply begins that is none."""
_PUNCTUATION = re.compile(r"[\W_]+")
_DETERMINERS = re.compile(r"^(?:(?:the|this|these|none|of|provided|given) )+|^[该本这]")


def is_refusal(text: str, passages: Sequence[Passage] = ()) -> bool:
    """Return whether a model's reply begins by saying that it has no answer; an empty one does not say so.

    A first sentence that says something in the words of the passage that it cites is an answer, however it begins.

    Args:
        text: The reply, or its beginning.
        passages: What it may cite, in the order of their numbers.
    """
    return bool(REFUSAL.match(text)) and not _quotes(text, passages)


def _quotes(text: str, passages: Sequence[Passage]) -> bool:
    """Return whether the words that refuse, and what the sentence says beside them, stand in a passage it cites."""
    marked = MARKS.sub(lambda mark: "".join(f"[{number}]" for number in re.findall(r"\d+", mark[1])), text)
    first = next((marked[start:end] for start, end in statements(marked)), "")
    claim = unmarked(first)
    found = REFUSAL.match(claim)
    if not found or not content_terms(claim[found.end() :]):
        return False
    terms = frozenset(content_terms(claim))
    phrase = _DETERMINERS.sub("", _plain(found["phrase"]))
    cited = [passages[number - 1].context for number in cited_numbers(first) if 0 < number <= len(passages)]
    return any(phrase in _plain(context) and terms <= frozenset(content_terms(context)) for context in cited)


def _plain(text: str) -> str:
    return _PUNCTUATION.sub(" ", text).strip().casefold()
