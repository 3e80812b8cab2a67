"""The site of this folder, as `make docs` builds it: Sphinx with MyST (Markdown) and the theme Furo."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

NAV = {
    "Start": ["quick-start", "quick-start-zh", "concepts", "notebooks"],
    "Patterns": [
        "choose-a-pattern",
        *(f"patterns/{name}" for name in ("naive", "hyde", "advanced", "flare", "crag", "adaptive", "self-rag")),
        *(f"patterns/{name}" for name in ("combined", "router")),
    ],
    "Use": [
        "your-documents",
        "index-and-search",
        "models",
        "answers-and-citations",
        "conversation",
        "context",
        "environment",
        "server",
    ],
    "Trust": ["web-and-privacy", "security", "evaluator", "evaluation", "tuning", "benchmarks"],
    "Trouble": ["troubleshooting", "errors"],
    "Reference": ["reference/commands", "reference/python", "reference/graphs", "reference/nodes"],
    "Contribute": ["architecture", "project/contributing", "testing", "project/changelog"],
}
"""The pages by the captions that they stand under, in their order; a page that is missing here fails the build."""

project = "groundgraph"
html_title = "groundgraph"
copyright = "the groundgraph authors, Apache License 2.0"
root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "above", "check", "commands", "drawings"]
extensions += ["modules", "nav"]

myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
highlight_language = "none"
exclude_patterns = ["extensions"]

default_role = "literal"  # docstrings mark code with single backticks
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

html_theme = "furo"
html_theme_options = {"footer_icons": []}
html_static_path = ["_static"]
html_css_files = ["drawings.css"]
html_copy_source = False
html_show_sphinx = False
