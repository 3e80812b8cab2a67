"""Log probabilities of tokens, as one type whatever the endpoint calls them, and the text they make."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

PARTIAL = "\N{REPLACEMENT CHARACTER}"
"""What endpoints write for a token that holds only some bytes of a character."""

_SLACK = 16
"""Characters of the text that may belong to no token, such as white space the endpoint changed."""


@dataclass(frozen=True)
class TokenLogprob:
    """A token with the natural logarithm of its probability, and those of the likeliest tokens in its place."""

    token: str
    logprob: float | None
    """At most 0; None where the endpoint did not say, which counts as no confidence."""
    top: Mapping[str, float] = field(default_factory=dict)
    raw: bytes | None = None
    """UTF-8 bytes of the token where the endpoint gives them: `token` may hold only part of a character."""

    @property
    def probability(self) -> float:
        """Return the probability in [0, 1]; 0 where it is unknown."""
        return 0.0 if self.logprob is None else math.exp(min(0.0, self.logprob))


def token_logprobs(message: "AIMessage") -> tuple[TokenLogprob, ...] | None:
    """Return the tokens of a reply with their log probabilities; None if the endpoint gave none.

    Understands the modern shape, a list of tokens under `content`, and the legacy one, parallel lists `tokens`,
    `token_logprobs` and `top_logprobs`. Tokens without text, such as the end-of-turn mark, are left out.
    """
    given = message.response_metadata.get("logprobs")
    if not isinstance(given, Mapping):
        return None
    if isinstance(given.get("content"), list):
        tokens = [_modern(entry) for entry in given["content"]]
    elif isinstance(given.get("tokens"), list):
        tokens = _legacy(given)
    else:
        return None
    return tuple(token for token in tokens if token.token) or None


def _modern(entry: Mapping[str, Any]) -> TokenLogprob:
    raw = entry.get("bytes")
    return TokenLogprob(
        token=entry.get("token") or "",
        logprob=_at_most_0(entry.get("logprob")),
        top=_likeliest((top["token"], top.get("logprob")) for top in entry.get("top_logprobs") or []),
        raw=None if raw is None else bytes(raw),
    )


def _legacy(given: Mapping[str, Any]) -> list[TokenLogprob]:
    tokens = given["tokens"]
    logprobs = [*(given.get("token_logprobs") or []), *[None] * len(tokens)]
    tops = [*(given.get("top_logprobs") or []), *[None] * len(tokens)]
    return [
        TokenLogprob(token=token or "", logprob=_at_most_0(logprob), top=_likeliest((top or {}).items()))
        for token, logprob, top in zip(tokens, logprobs, tops, strict=False)
    ]


def _at_most_0(logprob: float | None) -> float | None:
    """Return a log probability that some endpoint may have given as a positive number."""
    return None if logprob is None else min(0.0, logprob)


def _likeliest(pairs: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    """Return log probabilities by token; of several tokens written alike, such as partial characters, the likeliest."""
    likeliest: dict[str, float] = {}
    for token, logprob in pairs:
        if logprob is not None:
            likeliest[token] = max(min(0.0, logprob), likeliest.get(token, -math.inf))
    return likeliest


def joined_tokens(tokens: Sequence[TokenLogprob]) -> str:
    """Return the text that tokens make together; characters that stay incomplete are left out."""
    joined = b"".join(token.token.encode() if token.raw is None else token.raw for token in tokens)
    return joined.decode(errors="ignore").replace(PARTIAL, "")


def token_spans(text: str, tokens: Sequence[TokenLogprob]) -> list[tuple[int, int]]:
    """Return where in `text` each token stands, as character offsets (start, end), in the tokens' order.

    Tokens that share one character all stand on it. A token that is not in the text, such as one of the thinking
    that was removed, stands nowhere: (n, n).
    """
    spans: list[tuple[int, int]] = []
    cursor = partial = width = 0
    for token in tokens:
        if PARTIAL in token.token:
            partial, width = partial + 1, width + len(token.token)
            continue
        word, start = _find(text, token.token, cursor, width)
        spans += [(cursor, start)] * partial
        cursor = start + len(word)
        spans.append((start, cursor))
        partial = width = 0
    return spans + [(cursor, min(len(text), cursor + width))] * partial


def _find(text: str, word: str, cursor: int, width: int) -> tuple[str, int]:
    """Return `word` as `text` spells it and its offset: after at most `width` characters that partial tokens made."""
    after_partial = text.find(word, cursor + 1, cursor + width + len(word)) if width else -1
    if after_partial >= 0:
        return word, after_partial
    if text.startswith(word, cursor):
        return word, cursor
    bare = word.strip()
    near = text.find(bare, cursor, cursor + len(bare) + _SLACK) if bare else -1
    return (bare, near) if near >= 0 else ("", cursor)


def tokens_between(text: str, tokens: Sequence[TokenLogprob], start: int, end: int) -> tuple[TokenLogprob, ...]:
    """Return the tokens that made the characters `start` to `end` of `text`, such as those of one sentence."""
    spans = token_spans(text, tokens)
    return tuple(token for token, (left, right) in zip(tokens, spans, strict=True) if left < end and right > start)
