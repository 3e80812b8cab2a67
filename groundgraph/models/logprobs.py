"""Log probabilities of tokens, as one type whatever the endpoint calls them, and the text they make."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
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

    @property
    def spelled(self) -> bytes:
        """Return the UTF-8 bytes of the token, as far as they are known."""
        return self.token.encode(errors="surrogatepass") if self.raw is None else self.raw

    @property
    def word(self) -> str | None:
        """Return the text of the token; None if it holds only part of a character."""
        if self.raw is None:
            return None if PARTIAL in self.token else self.token
        try:
            return self.raw.decode()
        except UnicodeDecodeError:
            return None


def token_logprobs(message: "AIMessage") -> tuple[TokenLogprob, ...] | None:
    """Return the tokens of a reply with their log probabilities; None if there are none, or only nulls.

    Understands the modern shape, a list of tokens under `content`, and the legacy one, parallel lists `tokens`,
    `token_logprobs` and `top_logprobs`; what is malformed counts as none. Tokens without text and bytes, such as the
    end-of-turn mark, are left out.
    """
    given = message.response_metadata.get("logprobs")
    if not isinstance(given, Mapping):
        return None
    try:
        if isinstance(given.get("content"), list):
            tokens = [_modern(entry) for entry in given["content"] if isinstance(entry, Mapping)]
        elif isinstance(given.get("tokens"), list):
            tokens = _legacy(given)
        else:
            return None
    except (TypeError, ValueError, AttributeError, KeyError):
        return None
    if all(token.logprob is None for token in tokens):
        return None
    return tuple(token for token in tokens if token.spelled) or None


def _modern(entry: Mapping[str, Any]) -> TokenLogprob:
    token, raw = entry.get("token") or "", bytes(entry.get("bytes") or ())
    top = _likeliest((top["token"], top.get("logprob")) for top in entry.get("top_logprobs") or [])
    known = raw and not (PARTIAL in token and raw == token.encode())  # vLLM gives the bytes of the mark itself
    return TokenLogprob(token, _own(entry.get("logprob"), token, top), top, raw if known else None)


def _legacy(given: Mapping[str, Any]) -> list[TokenLogprob]:
    tokens = given["tokens"]
    logprobs = [*(given.get("token_logprobs") or []), *[None] * len(tokens)]
    tops = [*(given.get("top_logprobs") or []), *[None] * len(tokens)]
    likeliest = [_likeliest((top or {}).items()) for top in tops]
    return [
        TokenLogprob(token or "", _own(logprob, token, top), top)
        for token, logprob, top in zip(tokens, logprobs, likeliest, strict=False)
    ]


def _own(logprob: float | None, token: str, top: Mapping[str, float]) -> float | None:
    """Return the log probability of a token, which may stand among the likeliest only, or be given above 0."""
    return top.get(token) if logprob is None or math.isnan(logprob) else min(0.0, logprob)


def _likeliest(pairs: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    """Return log probabilities by token; of several tokens written alike, such as partial characters, the likeliest."""
    likeliest: dict[str, float] = {}
    for token, logprob in pairs:
        if logprob is not None and not math.isnan(logprob):
            likeliest[token] = max(min(0.0, logprob), likeliest.get(token, -math.inf))
    return likeliest


def joined_tokens(tokens: Sequence[TokenLogprob]) -> str:
    """Return the text that tokens make together; characters that stay incomplete are left out."""
    return whole_characters(b"".join(token.spelled for token in tokens).decode(errors="ignore"))


def whole_characters(text: str) -> str:
    """Return `text` without what stands for part of a character: `PARTIAL`, and half a surrogate pair."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore").replace(PARTIAL, "")


def spells(text: str, tokens: Sequence[TokenLogprob]) -> bool:
    """Tell whether the tokens make the whole text, white space aside; others may stand before, after and between."""
    placed = {place for start, end in token_spans(text, tokens) for place in range(start, end)}
    return all(char.isspace() or place in placed for place, char in enumerate(text))


def token_spans(text: str, tokens: Sequence[TokenLogprob]) -> list[tuple[int, int]]:
    """Return where in `text` each token stands, as character offsets (start, end), in the tokens' order.

    Tokens are placed by their bytes where these make the text; else one after the other, as the text spells them.
    Tokens that share one character all stand on it. A token that is not in the text, such as one of the thinking
    that was removed, stands nowhere: (n, n).
    """
    return _placed_by_bytes(text, tokens) or _placed_by_words(text, tokens)


def _placed_by_bytes(text: str, tokens: Sequence[TokenLogprob]) -> list[tuple[int, int]] | None:
    """Return the spans of tokens whose bytes hold those of the text, as the last thing said; None of others."""
    pieces = [token.spelled for token in tokens]
    first = b"".join(pieces).rfind(text.encode(errors="surrogatepass"))
    if first < 0:
        return None
    places = [place for place, char in enumerate(text) for _ in char.encode(errors="surrogatepass")]
    spans: list[tuple[int, int]] = []
    for piece, stop in zip(pieces, accumulate(map(len, pieces)), strict=True):
        left, right = (min(max(0, byte - first), len(places)) for byte in (stop - len(piece), stop))
        start = places[left] if left < len(places) else len(text)
        spans.append((start, places[right - 1] + 1 if left < right else start))
    return spans


def _placed_by_words(text: str, tokens: Sequence[TokenLogprob]) -> list[tuple[int, int]]:
    """Return the spans of tokens, each sought after the one before; parts of characters fill what lies between."""
    spans: list[tuple[int, int]] = []
    cursor = partial = width = 0
    for token in tokens:
        if token.word is None:
            partial, width = partial + 1, width + _begun(token)
            continue
        word, start = _find(text, token.word, cursor, width)
        spans += [(cursor, start)] * partial
        cursor = start + len(word)
        spans.append((start, cursor))
        partial = width = 0
    return spans + [(cursor, min(len(text), cursor + width))] * partial


def _begun(token: TokenLogprob) -> int:
    """Return how many characters may begin in a token that holds a part of one."""
    return len(token.token) if token.raw is None else sum(byte & 0xC0 != 0x80 for byte in token.raw)


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
