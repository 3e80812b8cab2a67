"""What `groundgraph evaluator train` does with the weights in use: measure them too, and replace them if it may."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from groundgraph.cli.evaluator_tables import beside
from groundgraph.cli.terminal import write
from groundgraph.errors import ModelError
from groundgraph.grading.compare_weights import losses
from groundgraph.grading.weights import DEFAULT_WEIGHTS, Weights, load_weights, record_path, weights_path
from groundgraph.grading.weights_file import own

WORSE = 1


def weights_in_use() -> Weights | None:
    """Return the weights to compare with; None, with a warning, where those in use cannot be used."""
    try:
        return load_weights(weights_path())
    except ModelError as error:
        typer.echo(f"warning: nothing to compare with: {error}", err=True)
        return None


def trained_path() -> Path:
    """Return where new weights wait in the home folder until it is settled whether they are used."""
    path = own(DEFAULT_WEIGHTS).with_name("trained.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def settle(record: Mapping[str, Any], written: Path, out: Path | None) -> int:
    """Put the new weights to use if no file was named for them and they are not worse; return the exit status."""
    gains = record["in_use"]["gains"] if "in_use" in record else {}
    if gains:
        write(f"Beside the weights in use, test questions\n\n{beside(record)}\n")
        ends = (f"{name.replace('_', ' ')} {low:+.3f} to {high:+.3f}" for name, (low, high) in gains.items())
        write(f"new less in use, 95 % interval: {', '.join(ends)}")
    final = out or own(DEFAULT_WEIGHTS)
    if out is None and (lost := losses(gains)):
        names = " and ".join(lost).replace("_", " ")
        write(f"written: {written} and {record_path(written).name}")
        write(f"not in use: worse than {weights_path()} beyond chance, by {names}")
        write(f"to use them anyway: GROUNDGRAPH_EVALUATOR={written}, or the same command with --out {final}")
        return WORSE
    if final != written:
        record_path(written).replace(record_path(final))
        written.replace(final)
    write(f"written: {final} and {record_path(final).name}")
    if weights_path() != final:
        write(f"in use: {weights_path()}; to use the new weights, set GROUNDGRAPH_EVALUATOR={final}")
    elif final == own(DEFAULT_WEIGHTS):
        write(f"in use from now on: {final}; delete it to go back to the project's own")
    return 0
