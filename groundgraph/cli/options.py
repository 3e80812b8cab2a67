"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

Collections = Annotated[
    list[str] | None,
    typer.Option("--collection", "-c", metavar="NAME", help="Collection to search; may be repeated, * for all."),
]
Preset = Annotated[
    str | None, typer.Option(metavar="NAME", help="Named settings: paper, embedded, strict, balanced or loose.")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Setting of a run, such as crag.theta_high=0.8.")
]
Profile = Annotated[Path | None, typer.Option(metavar="FILE", help="TOML file of settings.")]
Concurrency = Annotated[int | None, typer.Option(min=1, metavar="N", help="Questions in work at once.")]
AsJSON = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
