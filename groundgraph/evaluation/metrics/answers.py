"""How near an answer comes to a gold answer, in words; all figures are in [0, 1], the best over the gold answers.

Texts are normalised as SQuAD's (arXiv:1606.05250) are: case, punctuation and the English articles do not count. Words
of scripts without spaces are compared character by character (CMRC 2018, arXiv:1810.07366). Beyond both, width and
composition of characters do not count (NFKC), a number keeps its decimal point and loses its thousands commas, and
citation marks are no part of an answer. Without a gold answer nothing can be scored: None.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from groundgraph.knowledge.keywords import CJK

_CITATION = re.compile(r"[\[【]\d+(?:\s*[,，、]\s*\d+)*[\]】]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PUNCTUATION = re.compile(r"(?!(?<=\d)\.\d)[^\w\s]|_")
_UNIT = re.compile(rf"[{CJK}]|[^\s{CJK}]+")
_ARTICLES = frozenset({"a", "an", "the"})


def answer_tokens(text: str, language: str = "en") -> list[str]:
    """Return what is compared: words, and single characters of scripts without spaces.

    Articles stay in Chinese (`zh`), where A股 is none, and where nothing else is left.
    """
    folded = unicodedata.normalize("NFKC", _CITATION.sub(" ", text)).casefold()
    tokens = _UNIT.findall(_PUNCTUATION.sub("", _THOUSANDS.sub("", folded)))
    kept = [token for token in tokens if language == "zh" or token not in _ARTICLES]
    return kept or tokens or folded.split()


def exact_match(answer: str, golds: Sequence[str], language: str = "en") -> float | None:
    """Return 1 if the answer is a gold answer, else 0."""
    given = answer_tokens(answer, language)
    return _best([float(given == answer_tokens(gold, language)) for gold in golds])


def f1(answer: str, golds: Sequence[str], language: str = "en") -> float | None:
    """Return the harmonic mean of precision and recall of the answer's words, or characters, repeats counted."""
    given = answer_tokens(answer, language)
    return _best([_f1(given, answer_tokens(gold, language)) for gold in golds])


def containment(answer: str, golds: Sequence[str], language: str = "en") -> float | None:
    """Return 1 if a gold answer stands whole in the answer, as a run of its words or characters, else 0.

    So 1000 stands in "1,000 men" and in 1000人, and 5 does not stand in 15.
    """
    given = answer_tokens(answer, language)
    return _best([float(_holds(given, answer_tokens(gold, language))) for gold in golds])


def token_recall(answer: str, golds: Sequence[str], language: str = "en") -> float | None:
    """Return the share of a gold answer's words, or characters, that stand in the answer, repeats counted.

    Of the measures by words it is nearest to people's verdict on wordy answers (Adlakha et al., arXiv:2307.16877).
    """
    given = Counter(answer_tokens(answer, language))
    return _best([_recall(given, Counter(answer_tokens(gold, language))) for gold in golds])


def _recall(given: Counter[str], gold: Counter[str]) -> float:
    return (given & gold).total() / gold.total() if gold else 0.0


def _best(scores: Sequence[float]) -> float | None:
    return max(scores, default=None)


def _f1(given: Sequence[str], gold: Sequence[str]) -> float:
    shared = (Counter(given) & Counter(gold)).total()
    return 2 * shared / (len(given) + len(gold)) if shared else 0.0


def _holds(given: Sequence[str], gold: Sequence[str]) -> bool:
    return bool(gold) and any(given[at : at + len(gold)] == gold for at in range(len(given) - len(gold) + 1))
