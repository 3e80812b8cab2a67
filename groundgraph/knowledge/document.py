"""What loading gives: documents, and what could not be read."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | float | bool | None"
Format = Literal["markdown", "text", "code"]


@dataclass(frozen=True)
class LoadedDocument:
    """A document as text. Spans of its chunks count characters of `text`."""

    source: str
    """Path, address or id: what a citation names, and what makes the document the same one next time."""
    text: str
    title: str = ""
    """Title that the document states; empty if it states none."""
    metadata: dict[str, JSON] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
    """Where each page starts in `text`; empty if there are no pages."""
    format: Format = "text"
    """Only in `markdown` do headings, lists, tables and code fences mean anything; `code` is a program's source."""
    file: str = ""
    """File the document came from, where `source` is an id inside it; empty if that is `source` itself."""
    hidden: str = ""
    """What was left out because no reader sees it, in a few plain words; empty if nothing was."""

    @property
    def origin(self) -> str:
        """Return the file or address that holds the document."""
        return self.file or self.source


@dataclass(frozen=True)
class Unreadable:
    """A file or row that could not be read, and why, in a few plain words."""

    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}"


def hidden_parts(**numbers: int) -> str:
    """Return what is hidden of each kind, such as `2 hidden slides, 1 hidden shape`, by the kinds' singulars."""
    return ", ".join(f"{number:,} hidden {kind}{'s' * (number > 1)}" for kind, number in numbers.items() if number)
