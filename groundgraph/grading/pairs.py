"""Labelled pairs of question and passage, as JSON Lines, to learn from and to check against."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from groundgraph.errors import InputError
from groundgraph.grading.dataset import RELEVANT, Corpus, Dataset, Question, Split
from groundgraph.grading.terms import is_cjk
from groundgraph.knowledge.passage import Passage

SPLIT_SHARES: tuple[tuple[int, Split], ...] = ((60, "train"), (80, "val"), (100, "test"))
"""Percent of the groups, by a hash of their name, up to which they fall into each split."""


def load_pairs(path: Path, others: Sequence[Passage] = ()) -> Dataset:
    """Read one pair a line: `question`, `passage`, `label` (1 or 0), and where given `heading`, `group`, `dataset`.

    Questions of one group, such as paraphrases, stay in one split; without a group each question is one. `dataset`
    divides the figures. A passage of the file, or of `others`, that has no label for a question counts as not
    relevant to it: what a search brings up among them are the hard negatives.

    Args:
        path: The file.
        others: Further passages to search, such as those of a collection.

    Raises:
        InputError: The file cannot be read, or a line of it cannot be used.
    """
    passages: dict[str, Passage] = {}
    corpora: dict[Corpus, dict[str, None]] = {}
    questions: dict[str, tuple[dict[str, Any], dict[str, int]]] = {}
    ids: dict[tuple[str, str], str] = {}
    for row in _rows(path):
        corpus = _corpus(row.get("dataset") or path.stem, row["question"])
        key = (str(row.get("heading") or ""), row["passage"])
        name = ids.setdefault(key, f"p{len(ids)}")
        passages[name] = Passage(page_content=key[1], heading=key[0], source=name)
        corpora.setdefault(corpus, {})[name] = None
        asked = questions.setdefault(row["question"], ({"corpus": corpus, "group": row.get("group")}, {}))
        asked[1][name] = RELEVANT if row["label"] else 0
    for number, passage in enumerate(others):
        key = (passage.heading, passage.page_content)
        if ids.setdefault(key, f"c{number}") == f"c{number}":
            passages[f"c{number}"] = passage.model_copy(update={"source": f"c{number}"})
            for names in corpora.values():
                names[f"c{number}"] = None
    return Dataset(
        (path,),
        passages,
        {corpus: tuple(names) for corpus, names in corpora.items()},
        tuple(_question(text, fields, grades) for text, (fields, grades) in questions.items()),
    )


def _question(text: str, fields: Mapping[str, Any], grades: Mapping[str, int]) -> Question:
    group = str(fields["group"] or text)
    percent = zlib.crc32(group.encode()) % 100
    return Question(
        id=text,
        corpus=fields["corpus"],
        split=next(split for share, split in SPLIT_SHARES if percent < share),
        text=text,
        answers=(),
        answerable=RELEVANT in grades.values(),
        grades=grades,
        group=group,
    )


def _corpus(source: str, question: str) -> Corpus:
    return Corpus(source, "zh" if is_cjk(question) else "en")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"pairs {str(path)!r}: {said}; give JSON Lines of question, passage and label") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            row = None
        if not isinstance(row, dict):
            raise InputError(f"pairs {str(path)!r} line {number}: not a JSON object")
        for name in ("question", "passage"):
            if not isinstance(row.get(name), str) or not row[name].strip():
                raise InputError(f"pairs {str(path)!r} line {number}: {name}={row.get(name)!r}: give a text")
        if row.get("label") not in (0, 1):
            raise InputError(f"pairs {str(path)!r} line {number}: label={row.get('label')!r}: give 1 or 0")
        yield row
