"""How many tokens a text has, estimated without the model's tokenizer."""

import re

_DENSE = re.compile(r"[\u1100-\u11ff\u2e80-\ud7af\uf900-\ufaff\U0001f000-\U0003ffff]")


def estimate_tokens(text: str) -> int:
    """Return an estimate that errs on the high side: one token a CJK character or emoji, one for three others."""
    dense = len(_DENSE.findall(text))
    return dense + -(-(len(text) - dense) // 3)
