"""The encoding of text in letters, of one byte each, told by the letters and words of its language."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class _Language(NamedTuple):
    common: frozenset[str]
    """Its frequent letters beyond ASCII."""
    rare: frozenset[str]
    words: frozenset[str]
    """Frequent words in ASCII."""


def _language(common: str, rare: str = "", words: str = "") -> _Language:
    return _Language(frozenset(common), frozenset(rare), frozenset(words.split()))


_WESTERN = (
    _language("", "éèêïöüñçà", "the of and to in is that for it with as on be are this not"),
    _language("äöüß", "éàè", "der die und das den von zu mit im ist des auf ein eine nicht dem sich an bei oder wird"),
    _language("éèàêç", "âîôûùëïœæüñ", "le la les de des du et un une dans pour que qui sur par est au aux plus ne se"),
    _language("áéíóñú", "ü", "el la los las de del que en un una por con para es se su no al"),
    _language("ãçáéóíê", "àâôõú", "o a os as de do da dos em um uma para com por que se no na"),
    _language("àèéìòù", "óíî", "il la le lo gli di del della che in un una per con non si al e"),
    _language("äåö", "éàü", "och att det som en ett av den med till inte ja on ei se oli mutta"),
    _language("æøå", "éòôèä", "og at det som en et av af den med til ikke er for i"),
    _language("éëï", "èöüóáê", "de het een van en in is dat op te met voor niet zijn er aan"),
    _language("áðíóöúæþý", "é", "og er sem um til ekki en var"),
)
_CENTRAL = (
    _language("ąęłóśż", "ćńź", "w i na z do nie jest po od za co oraz przez o a to dla jak"),
    _language("áéíýěščřžů", "úďťňó", "a v na je se z do pro o k i s po od za by nebo"),
    _language("áéíýščžúľť", "ôňäďóĺŕ", "a v na je sa z do pre o k s po od za by alebo"),
    _language("áéöőüóí", "úű", "a az egy nem hogy is van meg ha csak mint vagy ez volt"),
    _language("ăîâşţ", "șț", "de la cu din nu pe o un este pentru care mai sau"),
    _language("čšž", "ćđ", "i u je na se za da od su s ne ki v za ali in"),
)
_TURKISH = (_language("ıışğüçö", "âî", "ve bir bu da de ile ne en her"),)
_BALTIC = (
    _language("ėšųūžą", "įęč", "ir yra su tai kad bei arba"),
    _language("āēīšū", "ļņģķčž", "un ir ar par no kas vai"),
    _language("äõöü", "šž", "ja on ei et see oli kui"),
)
_CYRILLIC = (
    _language("оеаинтсрвлкмдп", "уяыьгзбчйхжшюцщэфёъ№"),
    _language("оаинітеврслкдм", "упязьбгчйхжїєшюцщфґ"),
    _language("аиоетнсрвлкдпм", "ъзяубгчцжщшхйюфюђјљњћџ"),
)
_GREEK = (_language("αοιτεςσνηυρπκμλ", "άέήίόύώωγδχθβφξζψϊϋΐΰ"),)
_HEBREW = (_language("אבגדהוזחטיכלמנסעפצקרשת", "ךםןףץ"),)
_ARABIC = (_language("ابتجحدرسعفقكلمنهوية", "أإآثخذزشصضطظغىئؤء،؛؟پچگکی"),)
_THAI = (_language("กขคงจชซญดตถทนบปผพภมยรลวศษสหอะาิีึืุูเแโใไ่้ั็์ำ", "ฉฌฎฏฐฑฒณธฝฟฬฮ๊๋ๆฤฯ"),)

_KATAKANA = (_language("".join(map(chr, range(0xFF61, 0xFFA0)))),)

_ENCODINGS = {
    "cp1252": _WESTERN,
    "iso8859_15": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp1251": _CYRILLIC,
    "koi8_r": _CYRILLIC,
    "koi8_u": _CYRILLIC,
    "iso8859_5": _CYRILLIC,
    "cp866": _CYRILLIC,
    "cp1253": _GREEK,
    "cp1254": _TURKISH,
    "cp1255": _HEBREW,
    "cp1256": _ARABIC,
    "cp1257": _BALTIC,
    "cp932": _KATAKANA,
    "cp874": _THAI,
    "cp850": _WESTERN,
    "cp437": _WESTERN,
    "cp852": _CENTRAL,
    "mac_roman": _WESTERN,
    "mac_cyrillic": _CYRILLIC,
}
"""Encodings by how common they are; of two that fit equally, the first is taken. Shift JIS is among them for its
half-width katakana, which have one byte each."""
_RARITY = 0.003
"""What an encoding loses against the one before it."""
_LATIN_ENDS = "\u0370"
_ALONE = frozenset("àéèóöåáíúôÀÉÈÓÖÅÁÍÚÔ")
"""Latin letters beyond ASCII that are words."""
_USUAL = {
    **dict.fromkeys("’'\xad", re.compile(r"\w..|..\w")),
    **dict.fromkeys("“‘«„¿¡‹", re.compile(r"[\s(\[\"'«„“-].[\w\s¿¡]")),
    **dict.fromkeys("”»›", re.compile(r"[\w.,!?…\s)].[\s.,;:!?)\"'-]")),
    **dict.fromkeys("–—", re.compile(r"[\s\w.,”].[\s\w“]")),
    **dict.fromkeys("£€¥©§±·•×½¼µ№¢", re.compile(r"[\s(\d].[\s\d.,)m]")),
    **dict.fromkeys("º²³ª™®", re.compile(r"[\w\s)].[\s\d.,;:)]")),
    "°": re.compile(r"[\d\s].[\sCF.,;)]"),
    "…": re.compile(r"[\w\s].[\s.,)”\w]"),
    "\xa0": re.compile(r"..."),
}
"""Signs beyond ASCII, each with what stands around it."""
_BEYOND = re.compile(r"[^\x00-\x7f]")
_WORD = re.compile(r"[a-z]{2,}")
_WORDS_WEIGH = 0.4
_RARE = 0.8
_SAMPLE = 2048


def likely_letters(data: bytes) -> tuple[str, float]:
    """Return the encoding whose letters fit best, and how well: 1 is frequent letters only, below 0 is hardly text.

    Args:
        data: Some text, not all in ASCII; only its first 2048 bytes count.
    """
    data = data[:_SAMPLE]
    words = Counter(_WORD.findall(data.decode("ascii", "replace").lower()))
    scores = {
        encoding: _score(data.decode(encoding, "replace"), languages, words) - _RARITY * number
        for number, (encoding, languages) in enumerate(_ENCODINGS.items())
    }
    best = max(scores, key=scores.__getitem__)
    return best, scores[best]


def _score(text: str, languages: Sequence[_Language], words: Counter[str]) -> float:
    """Return how well the characters of a text beyond ASCII, and its words in ASCII, fit the likeliest language."""
    padded, placed = f" {text} ", Counter[str]()
    for match in _BEYOND.finditer(padded):
        character = match[0]
        placed[character.lower() if _fits(character, padded[match.start() - 1 : match.end() + 1]) else "\ufffd"] += 1

    def score(language: _Language) -> float:
        weights = dict.fromkeys(language.rare, _RARE) | dict.fromkeys(_USUAL.keys() | language.common, 1.0)
        letters = sum(number * weights.get(one, -1.0) for one, number in placed.items()) / max(placed.total(), 1)
        known = sum(number for word, number in words.items() if word in language.words)
        return letters + _WORDS_WEIGH * known / max(words.total(), 1)

    return max(map(score, languages))


def _fits(character: str, around: str) -> bool:
    """Tell whether a character stands where one like it stands in a text, by the one before it and the one after."""
    if usual := _USUAL.get(character):
        return usual.fullmatch(around) is not None
    before, after = around[0], around[-1]
    is_broken_case = (character.isupper() and before.islower()) or (
        character.islower() and before.isupper() and after.isupper()
    )
    if character < _LATIN_ENDS:
        is_alone = not before.isalpha() and not after.isalpha()
        return not is_broken_case and (not is_alone or character in _ALONE)
    return not is_broken_case and not any(one.isalpha() and one.isascii() for one in (before, after))
