"""How a model says that the passages do not answer, that it does not know, or that it will not help."""

import re

_NOT_FOUND = (
    r"not[ _]found(?=[^\S\n]*(?:[^\w\s]|\n|$))|未找到|没有找到|段落[中里]?都?(?:没有|未)"
    r"|(?:the |these |none of the )?(?:provided |given )?passages? (?:do|does)(?: not|n['’]t)"
    r"|(?:the|this|these) (?:provided |given )?(?:documents?|texts?) do(?:es)?(?: not|n['’]t) "
    r"(?:mention|provide|contain|specify|say|state|answer|give)"
    r"|[该本这](?:段落|段文字|文档|文本)中?(?:没有|并?未)(?:提及|提到|提供|说明)"
)
_UNABLE = (
    r"i(?: ca(?:nnot|n['’]?t|n not)| could(?: not|n['’]?t)|(?: a|['’])m (?:unable|not able) to) (?:\w+ )?"
    r"(?:answer|help|assist|find|provide|determine|tell|say|give|rewrite|rephrase|comply|fulfil|do (?:that|this))"
)
_UNKNOWN = (
    r"i (?:do not|don['’]?t) (?:know|have|find|understand)|i(?: a|['’])m (?:not sure|sorry)"
    r"|sorry(?=\W*$|[,.!]| but\b| i\b)|apologies|i apologi[sz]e|unfortunately,? i\b|as an ai\b"
    r"|(?:no (?:\w+ )?(?:information|answer)(?: (?:is|was))?(?: (?:available|found|given|provided))?"
    r"|unknown|n/a|not (?:known|stated|mentioned|given|provided|specified|available))\W*$"
)
_CHINESE = (
    r"(?:很|非常|十分)?抱歉|对不起|很遗憾|我?(?:不知道|不清楚|不确定)\W*$|我(?:不知道|不清楚|不确定|没有(?:找到|相关|足够))"
    r"|(?:我)?(?:无法|不能)(?:回答|提供|确定|改写|帮|协助|满足)|作为一?[个名]?(?:ai|人工智能)"
    r"|(?:没有(?:相关)?(?:信息|内容|答案)|未提[及到]|没有提[及到])\W*$"
)
REFUSAL = re.compile(rf"[\W\d_]*(?:{_NOT_FOUND}|{_UNABLE}|{_UNKNOWN}|{_CHINESE})", re.IGNORECASE)
"""How a reply begins that is none."""


def is_refusal(text: str) -> bool:
    """Return whether a model's reply begins by saying that it has no answer; an empty one does not say so."""
    return bool(REFUSAL.match(text))
