"""Show Markdown files of the folder above, such as CONTRIBUTING.md, as pages of the site, with their links right."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PAGES = {"CONTRIBUTING.md": "project/contributing", "CHANGELOG.md": "project/changelog"}
"""Files above this folder, and the pages of the site that show them in place of their own few words."""


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put a file in the place of its page, and let links to these files lead to their pages."""
    for name, page in PAGES.items():
        if docname == page:
            file = Path(app.srcdir).parent / name
            app.env.note_dependency(str(file))
            source[0] = file.read_text(encoding="utf-8").replace("](docs/", "](../")
        source[0] = source[0].replace(f"](../{name}", f"]({page}.md").replace(f"]({name}", f"](/{page}.md")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
