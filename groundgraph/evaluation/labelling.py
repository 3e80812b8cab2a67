"""What `groundgraph self-rag label` keeps while it works: how it was set, and each of the critic's replies."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import groundgraph
from groundgraph.errors import InputError
from groundgraph.evaluation.files import append_line, cut_torn_line, read_json, read_lines, write_json
from groundgraph.evaluation.plan import collection_record, endpoint
from groundgraph.evaluation.records import CollectionRecord, Record
from groundgraph.evaluation.run import differences
from groundgraph.grading.reflection_card import EXAMPLES
from groundgraph.grading.reflection_critic import Log

RECORD, REPLIES = "label.json", "replies.jsonl"
INCIDENTAL = {"date", "endpoint"}
"""Parts of a record that may differ between two halves of one run."""


class LabelRecord(Record):
    """What labels were made with; two runs whose records agree but for date and endpoint are one."""

    groundgraph: str
    """Version."""
    date: str
    """When it began, ISO 8601, UTC."""
    instructions: str
    """Name of the file, without its folder."""
    sha256: str
    """Of the file's bytes, hexadecimal."""
    pairs: int
    critic: str
    endpoint: str | None
    """Host and port that a critic named `openai:…` was first asked at: a server may move while its model stays."""
    collections: list[CollectionRecord]
    passages: int
    relabel: float
    seed: int


class Said(Record):
    """A reply of the critic."""

    kind: str
    """`need`, `relevance`, `support` or `utility`."""
    asked: str
    """SHA-256 of the temperature and the prompt, hexadecimal."""
    said: str


def record_of(
    instructions: Path, pairs: int, critic: str, collections: Sequence[str], passages: int, relabel: float, seed: int
) -> LabelRecord:
    """Return the record of a run that begins now.

    Raises:
        CollectionError: A collection is missing.
    """
    return LabelRecord(
        groundgraph=groundgraph.__version__,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        instructions=instructions.name,
        sha256=hashlib.sha256(instructions.read_bytes()).hexdigest(),
        pairs=pairs,
        critic=critic,
        endpoint=endpoint([critic]),
        collections=[collection_record(name) for name in collections],
        passages=passages,
        relabel=relabel,
        seed=seed,
    )


def begin(folder: Path, record: LabelRecord) -> Log:
    """Make the folder of a run, or go on with the run that was begun there; return the log of what the critic says.

    Raises:
        InputError: It is another run, of which the message names what differs, or holds examples of no run.
    """
    if not (folder / RECORD).exists():
        if (folder / EXAMPLES).exists():
            raise InputError(f"{str(folder)!r} holds {EXAMPLES} of something else, and no {RECORD}: give another --out")
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / RECORD, record)
    old = read_json(folder / RECORD, LabelRecord, "record of labels", "give another --out")
    if found := differences(old, record, INCIDENTAL):
        raise InputError(f"{str(folder)!r} holds labels of another run ({'; '.join(found)}): give another --out")
    replies = folder / REPLIES
    cut_torn_line(replies)
    known = {one.asked: one.said for one in read_lines(replies, Said, "reply of a critic")}
    return Log(known, lambda kind, asked, said: append_line(replies, Said(kind=kind, asked=asked, said=said)))
