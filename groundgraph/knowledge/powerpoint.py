"""PowerPoint files as Markdown, without the slides and shapes that their authors hid."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from groundgraph.errors import LoadError
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.ooxml import one_line, opened, properties
from groundgraph.knowledge.rows import table

_ON = {"1", "true"}


def pptx_document(data: bytes, source: str) -> LoadedDocument:
    """Return a PowerPoint presentation as Markdown: a slide is a page, its title a heading, its notes below it.

    Raises:
        LoadError: It is damaged or holds no text.
    """
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    hidden: Counter[str] = Counter()
    with opened(data, "pptx", PythonPptxError) as file:
        stated = properties(file)
        texts = [_slide(slide, number, hidden) for number, slide in enumerate(Presentation(file).slides, start=1)]
    if not any(texts):
        raise LoadError("no text")
    starts = [0]
    for text in texts[:-1]:
        starts.append(starts[-1] + len(text) + 2)
    text = "\n\n".join(texts)
    return LoadedDocument(
        source,
        text,
        title=stated.stated_title,
        metadata=stated.metadata(text),
        pages=tuple(starts),
        format="markdown",
        hidden=hidden_parts(**hidden),
    )


def _slide(slide: Any, number: int, hidden: Counter[str]) -> str:
    """Return a slide as Markdown below its title, or else its number; empty if there is no text on it, or it is hidden.

    What is hidden is counted in `hidden`.
    """
    if slide.element.get("show", "1") not in _ON:
        hidden["slide"] += 1
        return ""
    title = slide.shapes.title
    heading = one_line(title.text_frame.text) if title is not None else ""
    body = [text for shape in _shapes(slide.shapes, hidden) if title is None or shape.shape_id != title.shape_id
            for text in _shape(shape) if text]  # fmt: skip
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = one_line(slide.notes_slide.notes_text_frame.text)
        body += [f"Notes: {notes}"] if notes else []
    return "\n\n".join([f"# {heading or f'Slide {number}'}", *body]) if heading or body else ""


def _shapes(shapes: Iterable[Any], hidden: Counter[str]) -> Iterator[Any]:
    """Yield shapes, and in place of groups the shapes in them; those that are hidden are counted only."""
    for shape in shapes:
        if _ON.intersection(shape.element.xpath("./*[1]/p:cNvPr/@hidden")):
            hidden["shape"] += 1
        elif hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, hidden)
        else:
            yield shape


def _shape(shape: Any) -> Iterator[str]:
    """Yield the text of a shape: a paragraph, a list, a table, or the title and the figures of a chart."""
    if getattr(shape, "has_table", False):
        yield table(_grid(shape.table))
    elif getattr(shape, "has_chart", False):
        yield from _chart(shape.chart)
    elif getattr(shape, "has_text_frame", False):
        lines = [("  " * one.level, line) for one in shape.text_frame.paragraphs if (line := one_line(one.text))]
        yield lines[0][1] if len(lines) == 1 else "\n".join(f"{indent}- {line}" for indent, line in lines)


def _grid(found: Any) -> list[list[str]]:
    """Return the texts of a table's cells, that of a merged cell in every row and column that it spans."""
    grid = [[cell.text for cell in row.cells] for row in found.rows]
    for top, row in enumerate(found.rows):
        for left, cell in enumerate(row.cells):
            if cell.is_merge_origin:
                for line in grid[top : top + cell.span_height]:
                    line[left : left + cell.span_width] = [cell.text] * cell.span_width
    return grid


def _chart(chart: Any) -> Iterator[str]:
    """Yield the title of a chart, and its figures as a table: a row for each category, a column for each series."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield one_line(chart.chart_title.text_frame.text)
    series = list(chart.element.iter("{*}ser"))
    labels = {place: name for one in series for kind in ("cat", "xVal") for place, name in _points(one, kind).items()}
    columns = [_points(one, "val") | _points(one, "yVal") for one in series]
    places = sorted(set(labels).union(*columns))
    if places:
        names = [" ".join(text for text in one.xpath("c:tx//c:v/text()")) for one in series]
        rows = ([labels.get(place, ""), *(column.get(place, "") for column in columns)] for place in places)
        yield table([["", *names], *rows])


def _points(series: Any, kind: str) -> dict[int, str]:
    """Return the labels or figures of a series by their places, as a chart keeps them beside its workbook."""
    points = series.iterfind(f"{{*}}{kind}//{{*}}pt")
    return {int(one.get("idx")): _figure(one.findtext("{*}v", "")) for one in points}


def _figure(written: str) -> str:
    try:
        return f"{float(written):.15g}"
    except ValueError:
        return written
