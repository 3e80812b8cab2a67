"""Train the embedded evaluator: learn on train questions, choose on val, report on test, source by source.

python -m groundgraph.grading.train DATA_DIR [--out PATH]
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from groundgraph.errors import GroundgraphError, InputError
from groundgraph.grading.candidates import CandidateMaker
from groundgraph.grading.dataset import Dataset, Split, load_dataset
from groundgraph.grading.fit_passages import (
    ANSWERED,
    KIND_WEIGHTS,
    Example,
    among_rows,
    fit_alone,
    fit_among,
    make_examples,
    pair_rows,
    set_prior,
)
from groundgraph.grading.fit_sentences import (
    SentenceExample,
    answered_passages,
    fit_sentence_head,
    make_sentence_examples,
    refinement_figures,
    set_threshold,
)
from groundgraph.grading.head import Head
from groundgraph.grading.measure import Figures, measure_passages
from groundgraph.grading.vector_store import VectorStore, training_vectors
from groundgraph.grading.weights import DEFAULT_WEIGHTS, Weights
from groundgraph.models import embedding_model

EMBEDDING_MODEL = "e5:multilingual-e5-small"
SPLITS: tuple[Split, ...] = ("train", "val", "test")
SURVIVAL = 0.96
"""Share of validation passages whose answer must survive refinement."""


def train(folder: Path, out: Path) -> dict[str, Any]:
    """Train on a folder with `corpus.jsonl` and `queries.jsonl`; write the weights and, beside them, the record.

    Returns:
        The training record, as it was written.

    Raises:
        InputError: The data cannot be used, or the folder of `out` does not exist.
        ModelError: The embedding model cannot be had.
    """
    if not out.parent.is_dir():
        raise InputError(f"--out {str(out)!r}: the folder does not exist; create it first")
    dataset = load_dataset(folder)
    store = training_vectors(embedding_model(EMBEDDING_MODEL))
    passages, sentences = _examples(dataset, store)
    for split in SPLITS:
        if not sentences[split]:
            raise InputError(
                f"training data {str(folder)!r}: no {split!r} question has a relevant passage that answers it"
            )
    alone = set_prior(fit_alone(passages["train"]), pair_rows, passages["val"])
    among = set_prior(fit_among(passages["train"]), among_rows, passages["val"])
    sentence = set_threshold(fit_sentence_head(sentences["train"]), sentences["val"], SURVIVAL)
    weights = Weights(embedding_model=EMBEDDING_MODEL, alone=alone, among=among, sentence=sentence)
    record = {
        "command": "python -m groundgraph.grading.train DATA_DIR",
        "date": datetime.now(UTC).date().isoformat(),
        "data_sha256": dataset.digest,
        "questions": {split: sum(q.split == split for q in dataset.questions) for split in SPLITS},
        "choices": {"kind_weights": KIND_WEIGHTS, "answered_on_val": ANSWERED, "survival_on_val": SURVIVAL},
        "heads": {name: _coefficients(head) for name, head in _heads(weights).items()},
        "among": {split: measure_passages(among, among_rows, passages[split]) for split in ("val", "test")},
        "alone": {split: measure_passages(alone, pair_rows, passages[split]) for split in ("val", "test")},
        "among_on_unseen_source": _leave_one_out(passages),
        "refinement": {split: _refinement(sentence, sentences[split]) for split in ("val", "test")},
    }
    out.write_text(weights.model_dump_json(indent=1) + "\n", encoding="utf-8")
    _record_path(out).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return record


def _examples(
    dataset: Dataset, store: VectorStore
) -> tuple[dict[str, list[Example]], dict[str, list[SentenceExample]]]:
    questions = store.questions((question.text for question in dataset.questions), "Embedding questions")
    passages = store.passages((passage.context for passage in dataset.passages.values()), "Embedding passages")
    answered = {split: list(answered_passages(dataset, split)) for split in SPLITS}
    parts = store.passages(
        (sentence for split in SPLITS for found in answered[split] for sentence in found.sentences),
        "Embedding sentences",
    )
    maker = CandidateMaker(dataset, passages, questions)
    return (
        {split: make_examples(maker.make(split), dataset, passages, questions) for split in SPLITS},
        {split: make_sentence_examples(answered[split], parts, questions) for split in SPLITS},
    )


def _leave_one_out(passages: dict[str, list[Example]]) -> dict[str, Figures]:
    """Return the test figures of each source by a head that never saw that source, in training or choosing."""
    sources = sorted({example.candidates.question.source for example in passages["train"]})
    figures = {}
    for source in sources if len(sources) > 1 else ():
        rest = {split: [e for e in passages[split] if e.candidates.question.source != source] for split in SPLITS}
        head = set_prior(fit_among(rest["train"]), among_rows, rest["val"])
        own = [e for e in passages["test"] if e.candidates.question.source == source]
        figures[source] = measure_passages(head, among_rows, own)[source]
    return figures


def _refinement(head: Head, examples: Sequence[SentenceExample]) -> dict[str, dict[str, float]]:
    sources = sorted({example.answered.question.source for example in examples})
    figures = {
        source: refinement_figures(head, [e for e in examples if e.answered.question.source == source])
        for source in sources
    }
    return figures | {"all": refinement_figures(head, examples)}


def _heads(weights: Weights) -> dict[str, Head]:
    return {"alone": weights.alone, "among": weights.among, "sentence": weights.sentence}


def _coefficients(head: Head) -> dict[str, float]:
    pairs = zip((*head.features, "bias"), (*head.weights, head.bias), strict=True)
    return {name: round(value, 4) for name, value in pairs}


def _record_path(out: Path) -> Path:
    return out.with_name("training_record.json")


def _table(title: str, figures: dict[str, Any]) -> Table:
    columns = list(next(iter(figures.values())))
    table = Table("source", *(column.replace("_", " ") for column in columns), title=title)
    for source, row in figures.items():
        table.add_row(source, *("" if row[column] is None else f"{row[column]:.4g}" for column in columns))
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0, or 2 with one line on standard error."""
    parser = ArgumentParser(prog="python -m groundgraph.grading.train", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA_DIR", help="folder with corpus.jsonl and queries.jsonl")
    parser.add_argument("--out", type=Path, default=DEFAULT_WEIGHTS, help="where to write the weights")
    options = parser.parse_args(arguments)
    try:
        record = train(options.data, options.out)
    except GroundgraphError as error:
        Console(stderr=True).print(str(error), style="red", markup=False, soft_wrap=True)
        return 2
    console = Console()
    console.print(_table("Passages among others, test questions", record["among"]["test"]))
    console.print(_table("Refinement, test questions", record["refinement"]["test"]))
    console.print(f"written: {options.out} and {_record_path(options.out).name}", markup=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
