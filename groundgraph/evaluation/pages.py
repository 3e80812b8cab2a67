"""Pages of HTML that open without network: nothing in them is loaded, no script runs, and documents are only shown."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from groundgraph.errors import InputError
from groundgraph.evaluation import wording


def check_packages() -> None:
    """Raise if what pages are made with is not installed.

    Raises:
        InputError: matplotlib or Jinja2 is missing.
    """
    if not (find_spec("matplotlib") and find_spec("jinja2")):
        raise InputError("the HTML report needs matplotlib and Jinja2: pip install '.[report]'")


def write_page(template: str, path: Path, **values: Any) -> None:
    """Write the page of a template beside this file, with these values in it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("groundgraph.evaluation", ".")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
    page = environment.get_template(template).render(wording=wording, **values)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
