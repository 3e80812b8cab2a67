"""SentencePiece's unigram tokenizer, as XLM-RoBERTa uses it (Kudo, arXiv:1804.10959)."""

import re
from functools import lru_cache
from itertools import chain

from groundgraph.models.e5_file import Vocabulary

_SPACE = "\u2581"
_SPACES = re.compile(" {2,}")
_WORDS = re.compile(f"{_SPACE}[^{_SPACE}]*")
_CACHED = 1 << 14
_LONGEST_CACHED = 32
_PENALTY = 10.0
"""By how much an unknown character is less likely than the least likely piece."""


class UnigramTokenizer:
    """Cuts text into the pieces that are the most likely together."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._unknown_score = min(vocabulary.scores) - _PENALTY
        self._longest = max(map(len, vocabulary.pieces))
        self._cached = lru_cache(_CACHED)(self._cut)

    def tokens(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text; no piece goes beyond a word."""
        text = _SPACES.sub(" ", text.translate(self._vocabulary.normal))
        words = _WORDS.findall(f" {text.removeprefix(' ')}".replace(" ", _SPACE))
        return [*chain.from_iterable(map(self._word, words))]

    def _word(self, word: str) -> tuple[int, ...]:
        return self._cached(word) if len(word) <= _LONGEST_CACHED else self._cut(word)

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the best pieces by Viterbi's algorithm."""
        pieces, scores, unknown, _ = self._vocabulary
        best = [0.0] + [-float("inf")] * len(word)
        last = [(unknown, 0)] * (len(word) + 1)
        for start, score in enumerate(best[:-1]):
            score = best[start]
            if score + self._unknown_score > best[start + 1]:
                best[start + 1], last[start + 1] = score + self._unknown_score, (unknown, start)
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                piece = pieces.get(word[start:end])
                if piece is not None and piece != unknown and score + scores[piece] > best[end]:
                    best[end], last[end] = score + scores[piece], (piece, start)
        found: list[int] = []
        end = len(word)
        while end:
            piece, end = last[end]
            found.append(piece)
        return tuple(reversed(found))
