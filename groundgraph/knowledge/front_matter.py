"""The front matter of a Markdown file: YAML between two rules, before the text."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from groundgraph.knowledge.document import JSON

if TYPE_CHECKING:
    import yaml

MAX_CHARACTERS = 65_536
"""Longest front matter that is read as YAML."""

MAX_DEPTH = 20
"""Lists and mappings inside each other that are read as YAML."""

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FIELD = re.compile(r"^(\w[\w-]*):[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_NO_FIELD = re.compile(r"^(?![\w\"'][^\n:]*:(?:\s|$)|\s|-\s|#|$)", re.MULTILINE)
"""A line that no front matter has: text between two rules, which is not to be lost."""


def split_front_matter(text: str) -> tuple[dict[str, JSON], str]:
    """Return the fields of the front matter of `text`, and the text below it.

    Values are kept as they are written, so that `version: 1.10`, `country: NO` and `date: 2024-05-01` stay themselves;
    empty ones are left out. What looks like fields but is no YAML, such as `title: Search: a survey`, is read line by
    line, and so is YAML with aliases or great depth, which may unfold to any size. Text between two rules stays text.
    """
    front = _FRONT_MATTER.match(text)
    if front is None:
        return {}, text
    fields = _yaml_fields(front[1])
    if fields is None and _NO_FIELD.search(front[1]):
        return {}, text
    if fields is None:
        fields = {key: value.strip("\"'") for key, value in _FIELD.findall(front[1])}
    return fields, text[front.end() :]


def _yaml_fields(written: str) -> dict[str, JSON] | None:
    """Return a YAML mapping of texts, lists and mappings; None if it is none, or one that is not safe to build."""
    import yaml

    if len(written) > MAX_CHARACTERS:
        return None
    try:
        if not _is_plain(yaml.parse(written, yaml.BaseLoader)):
            return None
        value = yaml.load(written, yaml.BaseLoader)  # knows texts, lists and mappings only: no tag builds anything
    except yaml.YAMLError:
        return None
    return _filled(value) if isinstance(value, Mapping) else None


def _is_plain(events: "Iterable[yaml.Event]") -> bool:
    """Tell whether YAML has no alias and no great depth, both of which make little text into much work."""
    import yaml

    depth = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > MAX_DEPTH:
            return False
    return True


def _filled(fields: Mapping[object, JSON]) -> dict[str, JSON]:
    return {str(key): value for key, value in fields.items() if value not in ("", [], {})}
