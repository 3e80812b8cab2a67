"""The documents of a collection, cut by other chunkers, in collections of their own."""

from collections.abc import Callable, Sequence
from pathlib import Path

from groundgraph.errors import InputError
from groundgraph.evaluation.metrics.retrieval import relevant_sources
from groundgraph.evaluation.questions import Question
from groundgraph.evaluation.tune import ENOUGH
from groundgraph.knowledge.chunk import CHUNKERS
from groundgraph.knowledge.index import Collection, index

Progress = Callable[[str, int, int], None]


def rechunked(collection: str, chunkers: Sequence[str], progress: Progress) -> list[str]:
    """Return the names of collections that hold the same documents, one a chunker; `notes-fixed` for `notes`.

    What they hold already is not embedded again; so they can be kept and used.

    Args:
        collection: Whose files are read anew.
        chunkers: Names; the collection's own is left out.
        progress: Told about the loading and the embedding.

    Raises:
        InputError: A chunker is unknown, or a document did not come from a file that is here.
        CollectionError: There is no such collection.
    """
    for chunker in chunkers:
        if chunker not in CHUNKERS:
            raise InputError(f"chunker={chunker!r}: unknown; known are {', '.join(CHUNKERS)}")
    opened = Collection.open(collection)
    info, files, jsonl = opened.info(), *_files(opened)
    names = []
    for chunker in dict.fromkeys(chunkers):
        if chunker != info.chunker:
            names.append(f"{collection}-{chunker}")
            index(
                files,
                names[-1],
                jsonl=jsonl,
                embedding_model=info.embedding_model,
                chunker=chunker,
                progress=progress,
            )
    return names


def check_chunkers(questions: Sequence[Question]) -> None:
    """Raise if too few questions say which sources answer them to tell chunkers apart.

    Raises:
        InputError: The message says how many do.
    """
    known = sum(bool(relevant_sources(question.rel or {})) for question in questions)
    if known < ENOUGH:
        raise InputError(
            f"--chunker: {known} of {len(questions)} tuning questions name a source that answers (rel); "
            f"it needs {ENOUGH}, and nothing was indexed"
        )


def _files(collection: Collection) -> tuple[list[Path], bool]:
    """Return the files that the documents came from, and whether rows of them are documents of their own."""
    kept = collection.store.kept()
    missing = [source for source, one in kept.items() if not Path(one.origin).is_file()]
    if missing or not kept:
        where = f"the file of {missing[0]!r} and of {len(missing) - 1} others" if missing else "any file"
        raise InputError(f"collection {collection.info().name!r}: {where} is not here: leave --chunker out")
    return sorted({Path(one.origin) for one in kept.values()}), any(s != one.origin for s, one in kept.items())
