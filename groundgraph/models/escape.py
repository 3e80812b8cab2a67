"""Make text that is not ours harmless in a prompt."""

import re

# What could end a passage early or start a new turn: our delimiters, the usual ones of other prompts, and the
# control tokens of chat templates, which some servers read inside a message too.
_TAGS = "passage|context|document|question|sentence|evidence|answer|system|user|assistant"
_MARKER = re.compile(rf"<(?=\s*/?\s*(?:{_TAGS})s?\b|\|)", re.IGNORECASE)


def escape(text: str) -> str:
    """Return `text` with every prompt marker in it made harmless; everything else stays verbatim."""
    return _MARKER.sub("&lt;", text)
