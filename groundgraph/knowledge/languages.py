"""Languages by their two-letter codes, however a document or a person writes them."""

import re
import unicodedata

_PARTS = re.compile(r"[-_\s(（,;/.]+")
_NAMES = {
    "ar": "ara arabic العربية",
    "bg": "bul bulgarian български",
    "cs": "ces cze czech čeština",
    "da": "dan danish dansk",
    "de": "deu ger german deutsch",
    "el": "ell gre greek ελληνικά",
    "en": "eng english anglais englisch inglés 英语 英語 英文",
    "es": "spa spanish español castellano",
    "fa": "fas per persian farsi فارسی",
    "fi": "fin finnish suomi",
    "fr": "fra fre french français",
    "he": "heb iw hebrew עברית",
    "hi": "hin hindi हिन्दी",
    "hr": "hrv croatian hrvatski",
    "hu": "hun hungarian magyar",
    "id": "ind in indonesian bahasa",
    "it": "ita italian italiano",
    "ja": "jpn jp japanese 日语 日語 日文 日本語",
    "ko": "kor kr korean 韩语 韓語 韩文 韓文 한국어 조선말",
    "ms": "msa may malay",
    "nl": "nld dut dutch nederlands",
    "no": "nor nb nob nn nno norwegian norsk",
    "pl": "pol polish polski",
    "pt": "por portuguese português",
    "ro": "ron rum romanian română",
    "ru": "rus russian русский",
    "sk": "slk slo slovak slovenčina",
    "sr": "srp serbian српски srpski",
    "sv": "swe swedish svenska",
    "th": "tha thai ไทย",
    "tr": "tur turkish türkçe",
    "uk": "ukr ukrainian українська",
    "ur": "urd urdu اردو",
    "vi": "vie vietnamese tiếng",
    "zh": "zho chi cmn cn chinese mandarin 中文 汉语 漢語 华语 華語 普通话 普通話 国语 國語 "
    "简体中文 簡體中文 繁体中文 繁體中文 简体 簡體 繁体 繁體 简体字 繁體字",
}
_CODES = {name: code for code, names in _NAMES.items() for name in names.split()}


def primary_language(stated: str) -> str:
    """Return the code of a language without script and region, of two letters where it is a well-known one.

    Tags (`zh-Hant-TW`, `ZH_cn`), codes of three letters (`eng`, `chi`), and names (`English`, `中文`) are understood.
    Any other language keeps its first word, in lower case.
    """
    words = _PARTS.split(unicodedata.normalize("NFC", stated).strip().casefold())
    first = next(filter(None, words), "")
    return _CODES.get(first, first)
