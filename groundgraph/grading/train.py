"""Train the embedded evaluator: learn on train questions, choose on val, report on test, source by source."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from groundgraph.errors import InputError
from groundgraph.grading.candidates import CandidateMaker
from groundgraph.grading.compare_weights import compare_weights
from groundgraph.grading.dataset import Dataset, Split, load_dataset
from groundgraph.grading.drift import deciles
from groundgraph.grading.fit_passages import (
    ANSWERED,
    IN_VAIN,
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
from groundgraph.grading.measure import by_head, measure_passages, tier_table
from groundgraph.grading.mixture import merged, sampled, unseen
from groundgraph.grading.pairs import load_pairs
from groundgraph.grading.validate import cross_validate, leave_one_out
from groundgraph.grading.vector_store import VectorStore, training_vectors
from groundgraph.grading.weights import Weights, load_weights, record_path
from groundgraph.knowledge.search import search
from groundgraph.models import embedding_model

EMBEDDING_MODEL = "e5:multilingual-e5-small"
SPLITS: tuple[Split, ...] = ("train", "val", "test")
UNSEEN: Split = "unseen"
Passages = dict[Split, list[Example]]
Sentences = dict[Split, list[SentenceExample]]
SURVIVAL = 0.96
"""Share of validation passages whose answer must survive refinement."""


def train(
    data: Sequence[Path],
    out: Path,
    collection: str | None = None,
    sample: int | None = None,
    others: Sequence[Path] = (),
    used: Weights | None = None,
) -> dict[str, Any]:
    """Train on labelled questions; write the weights and, beside them, the record.

    The head for sentences learns from the folders' sources that are measured too. Pairs hold no answers, so that
    without a folder it stays the one that comes with the project.

    Args:
        data: Folders with `corpus.jsonl` and `queries.jsonl`, or files of pairs (see `load_pairs`).
        out: The file to write.
        collection: Where hard negatives for pairs are searched besides the file itself.
        sample: Questions at most of each source and language without questions to choose by (see `sampled`).
        others: Data to measure on as sources that nothing was learned from.
        used: Weights to measure on the same test questions, as `in_use` in the record.

    Returns:
        The training record, as it was written.

    Raises:
        InputError: The data cannot be used, or the folder of `out` does not exist.
        ModelError: The embedding model cannot be had.
    """
    if not out.parent.is_dir():
        raise InputError(f"--out {str(out)!r}: the folder does not exist; create it first")
    dataset = _mixed(data, others, collection, sample)
    passages, sentences = _examples(dataset, training_vectors(embedding_model(EMBEDDING_MODEL)))
    has_folder = any(path.is_dir() for path in data)
    _check_splits(data, passages, sentences if has_folder else None)
    weights = _fit(passages, sentences if has_folder else None)
    record = {
        "command": " ".join(["groundgraph evaluator train", *["DATA"] * len(data), *_options(sample, others)]),
        "date": datetime.now(UTC).date().isoformat(),
        "data_sha256": dataset.digest,
        "questions": {split: sum(q.split == split for q in dataset.questions) for split in passages},
        "choices": {
            "kind_weights": KIND_WEIGHTS,
            "in_vain": IN_VAIN,
            "answered": ANSWERED,
            "survival_on_val": SURVIVAL,
        },
        "heads": {name: _coefficients(head) for name, head in _heads(weights).items()},
        **_measured(weights, passages),
        "refinement": {s: _refinement(weights.sentence, sentences[s]) for s in ("val", "test") if has_folder},
    }
    if used:
        record["in_use"] = compare_weights(weights, used, passages["test"])
    out.write_text(weights.model_dump_json(indent=1) + "\n", encoding="utf-8")
    record_path(out).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return record


def load_labelled(data: Path, collection: str | None = None) -> Dataset:
    """Read a folder of graded questions, or a file of pairs with what a search finds for them in a collection.

    Raises:
        InputError: The data cannot be used.
        CollectionError: The collection is missing.
    """
    if data.is_dir() or data.suffix != ".jsonl":
        return load_dataset(data)
    dataset = load_pairs(data)
    if collection is None:
        return dataset
    found = [passage for question in dataset.questions for passage in search(question.text, [collection], k=5).passages]
    return load_pairs(data, found)


def _mixed(data: Sequence[Path], others: Sequence[Path], collection: str | None, sample: int | None) -> Dataset:
    def load(path: Path) -> Dataset:
        found = load_labelled(path, collection)
        return sampled(found, sample) if sample else found

    return merged([*map(load, data), *(unseen(load(path)) for path in others)])


def _check_splits(data: Sequence[Path], passages: Passages, sentences: Sentences | None) -> None:
    named = ", ".join(repr(str(path)) for path in data)
    for split in SPLITS:
        if sentences is not None and not sentences[split]:
            raise InputError(f"training data {named}: no {split!r} question has a relevant passage that answers it")
        if not any(True in example.candidates.labels for example in passages[split]):
            raise InputError(f"training data {named}: no {split!r} question has a relevant passage; add questions")


def _examples(dataset: Dataset, store: VectorStore) -> tuple[Passages, Sentences]:
    questions = store.questions((question.text for question in dataset.questions), "Embedding questions")
    passages = store.passages((passage.context for passage in dataset.passages.values()), "Embedding passages")
    answered = {
        split: [found for found in answered_passages(dataset, split) if found.question.corpus in dataset.measured]
        for split in SPLITS
    }
    parts = store.passages(
        (sentence for split in SPLITS for found in answered[split] for sentence in found.sentences),
        "Embedding sentences",
    )
    maker = CandidateMaker(dataset, passages, questions)
    return (
        {split: make_examples(maker.make(split), dataset, passages, questions) for split in (*SPLITS, UNSEEN)},
        {split: make_sentence_examples(answered[split], parts, questions) for split in SPLITS},
    )


def _fit(passages: Passages, sentences: Sentences | None) -> Weights:
    sentence = (
        set_threshold(fit_sentence_head(sentences["train"]), sentences["val"], SURVIVAL)
        if sentences
        else load_weights().sentence
    )
    both = [*passages["train"], *passages["val"]]  # validation questions alone are too few for a quantile
    return Weights(
        embedding_model=EMBEDDING_MODEL,
        alone=set_prior(fit_alone(passages["train"]), pair_rows, both),
        among=set_prior(fit_among(passages["train"]), among_rows, both),
        sentence=sentence,
    )


def _measured(weights: Weights, passages: Passages) -> dict[str, Any]:
    among, alone = by_head(weights.among, among_rows), by_head(weights.alone, pair_rows)
    everything = [example for split in SPLITS for example in passages[split]]
    return {
        "among": {split: measure_passages(among, passages[split]) for split in ("val", "test")},
        "alone": {split: measure_passages(alone, passages[split]) for split in ("val", "test")},
        "best_score_deciles": deciles(_best_scores(weights.among, passages)),
        "cross_validation": cross_validate(everything),
        "unseen_source": leave_one_out(everything, passages["unseen"]),
        "tiers": tier_table(among, passages["test"]),
    }


def _best_scores(head: Head, passages: Passages) -> list[float]:
    """Return the best score of each question that was not learned from, among what a search found."""
    return [
        float(head.predict(example.among).max())
        for split in ("val", "test")
        for example in passages[split]
        if example.candidates.kind == "retrieved"
    ]


def _refinement(head: Head, examples: Sequence[SentenceExample]) -> dict[str, dict[str, float]]:
    sources = sorted({example.answered.question.source for example in examples})
    figures = {
        source: refinement_figures(head, [e for e in examples if e.answered.question.source == source])
        for source in sources
    }
    return figures | {"all": refinement_figures(head, examples)}


def _options(sample: int | None, others: Sequence[Path]) -> list[str]:
    return [*["--unseen DATA"] * len(others), *([f"--sample {sample}"] if sample else [])]


def _heads(weights: Weights) -> dict[str, Head]:
    return {"alone": weights.alone, "among": weights.among, "sentence": weights.sentence}


def _coefficients(head: Head) -> dict[str, float]:
    pairs = zip((*head.features, "bias"), (*head.weights, head.bias), strict=True)
    return {name: round(value, 4) for name, value in pairs}
