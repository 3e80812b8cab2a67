"""What a text talks about: content terms, names and numbers, English and Chinese alike.

Where the keyword leg wants every token, grading wants only those that carry the subject, in a form in which a question
and its answer meet: stemmed words, plain numbers, pairs of Chinese characters without function words between them.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from groundgraph.knowledge.keywords import CJK, STOP_WORDS, fold

_STOP_WORDS = STOP_WORDS | frozenset("many may might much name now one shall tell upon yet".split())
_CHINESE_STOPS = (
    "为什么 什么样 怎么样 什么 怎么 怎样 如何 多少 哪里 哪儿 哪些 哪个 哪位 哪种 哪年 哪一 为何 是否 可以 以及 还有 "
    "他们 她们 它们 我们 你们 这个 那个 这些 那些 一个 一种 一些 没有 因为 所以 但是 如果 就是 还是 或者 并且 而且 "
    "请问 根据 关于 的 了 是 在 和 与 或 及 等 吗 呢 吧 啊 呀 着 被 把 给 对 从 向 由 于 而 且 也 都 就 还 又 很 更 最 "
    "这 那 其 之 所 以 为 有 谁 哪 几 何 他 她 它 我 你 您 们 个 不 会 能 要 该 些 么"
).split()
_CUT = re.compile("|".join(_CHINESE_STOPS))
_TOKEN = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<number>\d+(?:[.,]\d+)*)|(?P<word>(?:(?![{CJK}_])\w)+)")
_CJK_CHARACTER = re.compile(f"[{CJK}]")
_SENTENCE_END = re.compile(r"[.!?:;\n。！？：；|]")
_NUMBER_WORDS = dict(
    zip("two three four five six seven eight nine ten eleven twelve".split(), map(str, range(2, 13)), strict=True)
)
_SUFFIXES = ("ations", "ation", "ingly", "edly", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "s")


def is_cjk(text: str) -> bool:
    """Tell whether a text is mainly Chinese (Japanese, Korean): one such character weighs as much as three letters."""
    cjk = len(_CJK_CHARACTER.findall(text))
    return cjk > 0 and cjk * 4 >= sum(character.isalpha() for character in text)


def stem(word: str) -> str:
    """Cut a common English ending, so that `hired` and `hires` meet; at least three letters stay."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            return word[: -len(suffix)]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@lru_cache(maxsize=4096)
def content_terms(text: str) -> tuple[str, ...]:
    """Return the content terms of a text in order, repeats included."""
    return tuple(term for term, _ in _terms(text))


@lru_cache(maxsize=4096)
def key_terms(text: str) -> frozenset[str]:
    """Return the names and numbers among the content terms of a text.

    A capital letter inside a sentence makes a name; in a Chinese text every Latin word is one.
    """
    return frozenset(term for term, is_key in _terms(text) if is_key)


def number_terms(text: str) -> frozenset[str]:
    """Return the numbers among the content terms of a text, number words up to twelve included."""
    return frozenset(term for term in content_terms(text) if term[0].isdigit())


def _terms(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each content term of a text and whether it is a name or a number."""
    latin_is_name = is_cjk(text)
    end = 0
    starts_sentence = True
    for match in _TOKEN.finditer(text):
        starts_sentence = starts_sentence or bool(_SENTENCE_END.search(text, end, match.start()))
        end = match.end()
        token = fold(match.group())
        if match["cjk"]:
            yield from ((pair, False) for part in _CUT.split(token) for pair in _pairs(part))
        elif match["number"]:
            yield _plain_number(token), True
        elif token in _NUMBER_WORDS:
            yield _NUMBER_WORDS[token], True
        elif token not in _STOP_WORDS and (len(token) > 1 or not token.isascii()):
            yield stem(token), latin_is_name or (match.group()[0].isupper() and not starts_sentence)
        starts_sentence = False


def _pairs(characters: str) -> Iterator[str]:
    """Yield the overlapping pairs of a run of characters, or the one character there is."""
    if characters:
        yield from (characters[place : place + 2] for place in range(max(len(characters) - 1, 1)))


def _plain_number(token: str) -> str:
    """Write `1,000` and `1000.0` as `1000`."""
    plain = token.replace(",", "")
    return plain.rstrip("0").rstrip(".") if plain.count(".") == 1 else plain
