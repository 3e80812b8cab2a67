"""Read a model's reply that was to be one line: a query, a name, a label."""

import json
import re

from nodes.refusal import is_refusal

_FENCE = re.compile(r"^```\w*\s*|\s*```$")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_LABEL = re.compile(
    r"^(?:(?:the|search|web|short|final) )*(?:query|keywords|answer|intent|查询词?|关键词|答案|回答|意图)"
    r"\s*(?:(?:(?:is|are)\b|是|为)\s*[:：]?|[:：])\s*",
    re.IGNORECASE,
)
_QUOTES = " \"'“”`"


def short_reply(reply: str) -> str:
    """Return the line that was asked for: bare, bold, labelled, quoted, fenced, or as the value of a JSON object.

    Empty where the reply is a refusal.
    """
    text = _FENCE.sub("", reply.strip())
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = text
    if isinstance(value, dict):
        value = next((v for v in value.values() if isinstance(v, str)), "")
    said = value if isinstance(value, str) else text
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")
    bare = _LABEL.sub("", _BOLD.sub(r"\1", line).strip(_QUOTES)).strip(_QUOTES)
    return "" if is_refusal(bare) else bare
