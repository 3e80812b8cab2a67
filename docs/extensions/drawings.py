"""The directive `mermaid`: a drawing, made when the site is built, so that a page needs no script to show it."""

import hashlib
import re
from pathlib import Path
from typing import Any

import mermaidx
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WIDTH = re.compile(r'width="100%"(.*?viewBox="0 0 ([\d.]+))', re.DOTALL)


def drawn(source: str) -> str:
    """Return the SVG of Mermaid source, in its own size rather than as wide as the page."""
    return WIDTH.sub(r'width="\2"\1', mermaidx.render(source).svg(), count=1)


class Drawing(SphinxDirective):
    """Draw what Mermaid source describes, as an SVG image whose alternative text is that source."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the image."""
        source = "\n".join(self.content)
        folder = Path(self.env.srcdir) / "_drawings"
        folder.mkdir(exist_ok=True)
        file = folder / f"{hashlib.sha256(source.encode()).hexdigest()[:16]}.svg"
        if not file.exists():
            file.write_text(drawn(source), encoding="utf-8")
        image = nodes.image(source, uri=f"/_drawings/{file.name}", alt=source)
        return [nodes.container("", image, classes=["drawing"])]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("mermaid", Drawing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
