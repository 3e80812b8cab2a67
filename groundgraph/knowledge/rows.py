"""Tables and JSON as text: CSV as a Markdown table, JSON as readable lines, JSONL as one document a row, notebooks."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.document import JSON, LoadedDocument, Unreadable
from groundgraph.knowledge.sources import one_line

_MAX_CELL = 10_000_000
_MAX_HEADER = 100_000
_SEPARATOR = re.compile(r"sep=(.)(?:\n|$)", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')
_MAX_DEPTH = 100
"""Objects and lists inside each other; whoever goes through them by recursion needs a limit."""


def csv_document(text: str, source: str) -> LoadedDocument:
    """Return a CSV table as a Markdown table, the first row its header.

    Its cells are separated by commas, semicolons, tabs or bars, whichever stands most often in the first row outside
    quotes; a first line such as `sep=;`, which Excel writes, goes before that.

    Raises:
        LoadError: It has no rows, or is no CSV.
    """
    csv.field_size_limit(_MAX_CELL)
    stated = _SEPARATOR.match(text)
    delimiter, text = (stated[1], text[stated.end() :]) if stated else (_delimiter(text), text)
    try:
        found = csv.reader(io.StringIO(text), delimiter=delimiter)
        rows = [row for row in found if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise LoadError(f"not a CSV table ({error})") from error
    if not rows:
        raise LoadError("no rows")
    return LoadedDocument(source, table(rows), format="markdown")


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows, at least one, as a Markdown table; the first is its header, and short ones are filled up."""
    width = max(map(len, rows))
    lines = ["| " + " | ".join(map(_cell, [*row, *[""] * (width - len(row))])) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def json_document(text: str, source: str) -> LoadedDocument:
    """Return a JSON file as lines of `path: value`; objects of a list are parted by blank lines.

    Raises:
        LoadError: It is no JSON, or holds nothing.
    """
    flat = flatten(_parse(text))
    if not flat.strip():
        raise LoadError("no values")
    return LoadedDocument(source, flat)


def notebook_document(text: str, source: str) -> LoadedDocument:
    """Return a Jupyter notebook as Markdown: its prose as it is, its code fenced, without what the code printed.

    Raises:
        LoadError: It is no notebook, or holds nothing.
    """
    notebook = _parse(text)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise LoadError("not a Jupyter notebook of version 4; save it as one")
    parts = [_cell_text(cell) for cell in cells if isinstance(cell, dict)]
    if not any(parts):
        raise LoadError("no text")
    return LoadedDocument(source, "\n\n".join(filter(None, parts)), format="markdown")


def jsonl_documents(text: str, file: str, *, strict: bool) -> Iterator[LoadedDocument | Unreadable]:
    """Yield one document a row, with `pid` or `file#line` as its source and `title` as its title.

    Args:
        text: JSON objects, one a line.
        file: The file's path.
        strict: Whether a row without a `text` is unreadable; else all its values are its text.

    Raises:
        LoadError: Two rows have one `pid`, or no row of several can be read.
    """
    seen: dict[str, int] = {}
    found: list[LoadedDocument | Unreadable] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{file}#{number}"
        try:
            document = _row_document(_parse(line), place, file, strict)
        except LoadError as error:
            found.append(Unreadable(place, str(error)))
            continue
        first = seen.setdefault(document.source, number)
        if first != number:
            raise LoadError(f"lines {first} and {number} have the same pid {document.source!r}; make them different")
        found.append(document)
    reasons = [one.reason for one in found if isinstance(one, Unreadable)]
    if len(reasons) == len(found) > 1:
        raise LoadError(f"not one of its {len(found)} rows can be read (the first: {reasons[0]}); give a JSONL file")
    yield from found


def flatten(value: JSON) -> str:
    """Return a JSON value as lines of `path: value`."""
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "\n\n".join(filter(None, map(flatten, value)))
    return "\n".join(_lines(value, ""))


def is_shallow(value: JSON) -> bool:
    """Tell whether a value can be gone through by recursion: its objects and lists are not too deep."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [item for one in level if isinstance(one, dict | list) for item in _items(one)]
        if not level:
            return True
    return False


def _cell_text(cell: Mapping[str, JSON]) -> str:
    lines = cell.get("source")
    text = clean("".join(map(str, lines)) if isinstance(lines, list) else str(lines or "")).strip()
    if not text or cell.get("cell_type") != "code":
        return text
    fence = "````" if "```" in text else "```"
    return f"{fence}\n{text}\n{fence}"


def _lines(value: JSON, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _lines(item, f"{path}.{key}" if path else clean(key))
    elif isinstance(value, list):
        if any(isinstance(item, dict | list) for item in value):
            for number, item in enumerate(value, start=1):
                yield from _lines(item, f"{path}.{number}")
        elif value:
            yield _line(path, ", ".join(map(_scalar, value)))
    elif value is not None and value != "":
        yield _line(path, _scalar(value))


def _line(path: str, text: str) -> str:
    return f"{path}: {text}" if path else text


def _scalar(value: JSON) -> str:
    return clean(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parse(text: str) -> JSON:
    try:
        value: JSON = json.loads(text)
    except json.JSONDecodeError as error:
        raise LoadError(f"not JSON ({error})") from error
    except ValueError as error:
        raise LoadError("JSON with a number of thousands of digits; write it as a string") from error
    except RecursionError as error:
        raise LoadError("JSON nested too deeply") from error
    if not is_shallow(value):
        raise LoadError("JSON nested too deeply")
    return value


def _items(value: "dict[str, JSON] | list[JSON]") -> Collection[JSON]:
    return value.values() if isinstance(value, dict) else value


def _row_document(row: JSON, place: str, file: str, strict: bool) -> LoadedDocument:
    fields = row if isinstance(row, Mapping) else {}
    body = fields.get("text")
    if isinstance(body, str) and body.strip():
        text = clean(body)
    elif strict:
        raise LoadError("no text; every row needs a `text` field")
    else:
        text = flatten(row)
        fields = {}
    if not text.strip():
        raise LoadError("no text")
    pid, title = fields.get("pid"), fields.get("title")
    return LoadedDocument(
        one_line(str(pid)) if str(pid or "").strip() else place,
        text,
        title=clean(title).strip() if isinstance(title, str) else "",
        metadata={clean(key): _cleaned(value) for key, value in fields.items() if key not in {"pid", "title", "text"}},
        file=file,
    )


def _cleaned(value: JSON) -> JSON:
    """Return the value with its texts cleaned: JSON can write halves of characters, which no file can hold."""
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return clean(value) if isinstance(value, str) else value


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _delimiter(text: str) -> str:
    first = _QUOTED.sub("", text[:_MAX_HEADER]).lstrip("\n").partition("\n")[0]
    return max(",\t;|", key=first.count)
