"""What documents say about themselves, under the same names whatever their format."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groundgraph.knowledge.attributes import language_of
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.document import JSON
from groundgraph.knowledge.languages import primary_language

_LONGEST_TITLE = 300
_SEVERAL_AUTHORS = re.compile(r"\s*[;；]\s*")
_SEVERAL_KEYWORDS = re.compile(r"\s*[,;，；、]\s*")
_NO_TITLE = re.compile(
    r"(?:microsoft \w+ - .*|untitled.*|powerpoint presentation|(?:document|presentation|slide|book|folie|title) ?\d*|"
    r"无标题.*|(?:幻灯片|演示文稿|文档) ?\d*|\S+\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|html?|odt|rtf|txt))",
    re.IGNORECASE,
)
"""Titles that programs give of themselves."""
_EAST_ASIAN = frozenset({"zh", "ja", "ko", "yue", "wuu", "nan", "lzh"})


@dataclass(frozen=True)
class Properties:
    """Title, authors, keywords, language and dates as a document states them, empty where it does not."""

    title: str = ""
    authors: Sequence[str] = ()
    """Names; one text may hold several, parted by semicolons."""
    keywords: Sequence[str] = ()
    """Keywords; one text may hold several, parted by commas or semicolons."""
    language: str = ""
    """Code of the language, such as `en` or `zh-CN`."""
    date: str = ""
    """When it was published, best as YYYY-MM-DD."""
    created: str = ""
    updated: str = ""

    @property
    def stated_title(self) -> str:
        """Return the title on one line; empty if it is none that a person gave."""
        title = " ".join(clean(self.title).split())
        return "" if _NO_TITLE.fullmatch(title) or len(title) > _LONGEST_TITLE else title

    def metadata(self, text: str) -> dict[str, JSON]:
        """Return the fields `author`, `keywords`, `language`, `date`, `created` and `updated`, as far as stated.

        `author` is a list if there are several, `keywords` always. Programs state languages that are not those of the
        text: one that its script contradicts is left out.
        """
        authors = list(_parted(self.authors, _SEVERAL_AUTHORS))
        fields: dict[str, JSON] = {
            "author": authors[0] if len(authors) == 1 else [*authors],
            "keywords": [*_parted(self.keywords, _SEVERAL_KEYWORDS)],
            "language": clean(self.language).strip() if _fits(self.language, text) else "",
            "date": clean(self.date).strip(),
            "created": clean(self.created).strip(),
            "updated": clean(self.updated).strip(),
        }
        return {name: value for name, value in fields.items() if value}


def _parted(texts: Sequence[str], several: re.Pattern[str]) -> Iterator[str]:
    """Yield the parts of texts, each once."""
    parts = (" ".join(part.split()) for text in texts for part in several.split(clean(text)))
    yield from dict.fromkeys(filter(None, parts))


def _fits(language: str, text: str) -> bool:
    """Tell whether a text may be in a language: both or neither are East Asian, as far as the text tells its own."""
    told = language_of(text, {})
    return not told or (told in _EAST_ASIAN) == (primary_language(language) in _EAST_ASIAN)
