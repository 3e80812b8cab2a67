"""Put the pages of `NAV` (conf.py) beneath the contents, under their captions."""

from typing import Any

from sphinx.application import Sphinx


def with_toctrees(app: Sphinx, docname: str, source: list[str]) -> None:
    """Append a hidden toctree for each caption to the root page."""
    if docname == app.config.root_doc:
        for caption, pages in app.config.NAV.items():
            source[0] += f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_config_value("NAV", {}, "env")
    app.connect("source-read", with_toctrees)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
