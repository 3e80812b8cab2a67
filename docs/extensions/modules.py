"""The directive `modules`: a section for each module of a package, made of its docstrings."""

from pathlib import Path
from typing import Any

from docutils import nodes
from pydantic import BaseModel
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.util.docutils import SphinxDirective

PROJECT = Path(__file__).parents[2]
ATTRIBUTES = {"attribute", "data", "property"}
"""Where the words before a colon are words; napoleon by itself would take them for a type."""


class Modules(SphinxDirective):
    """Document every public module of the package that the argument names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        package = self.arguments[0]
        lines: list[str] = []
        for file in sorted((PROJECT / package.replace(".", "/")).glob("[a-z]*.py")):
            name = f"{package}.{file.stem}"
            lines += [name, "-" * len(name), "", f".. automodule:: {name}", "   :members:", ""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def read_sections(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Understand sections such as `Raises:` in a Google-style docstring."""
    if what not in ATTRIBUTES:
        lines[:] = GoogleDocstring(lines, Config(), app, what, name, obj, options).lines()


def without_fields(app: Sphinx, what: str, name: str, obj: Any, *_: Any) -> tuple[str, None] | None:
    """Leave out the signature of a pydantic model, which would list all fields with their ranges."""
    return ("", None) if what == "class" and issubclass(obj, BaseModel) else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("modules", Modules)
    app.connect("autodoc-process-docstring", read_sections)
    app.connect("autodoc-process-signature", without_fields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
