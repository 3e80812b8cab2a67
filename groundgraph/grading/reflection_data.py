"""Training data for Self-RAG with reflection tokens: instructions and their answers, labelled by a critic.

As in arXiv:2310.11511, section 3.2: each sentence of an answer is given a passage if the critic says that it needs one,
and the tokens that say how relevant that is and how much it supports; the utility stands at the end.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from groundgraph.errors import InputError, ModelError, shown
from groundgraph.grading.reflection import (
    CONTINUE,
    FULL,
    IRRELEVANT,
    NO_RETRIEVAL,
    NO_SUPPORT,
    PARTIAL,
    RELEVANT,
    RETRIEVAL,
    UTILITIES,
    harmless,
    instruction,
    paragraph,
)
from groundgraph.grading.reflection_critic import Critic, Log, Support, Unreadable
from groundgraph.knowledge.decode import decode_rows
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search
from groundgraph.knowledge.sentences import sentences

TOKENS: dict[Support, str] = {"full": FULL, "partial": PARTIAL, "none": NO_SUPPORT}
RELABEL_TEMPERATURE = 0.7
Done = Callable[[str, int, int], None]
"""Told what is being done, how much is done, and of how much."""


class Pair(BaseModel):
    """An instruction and its answer."""

    model_config = ConfigDict(frozen=True)

    instruction: str = Field(pattern=r"\w", validation_alias=AliasChoices("instruction", "question", "prompt"))
    output: str = Field(pattern=r"\w", validation_alias=AliasChoices("output", "answer", "response", "completion"))


@dataclass(frozen=True)
class Part:
    """A sentence of an answer with its labels."""

    text: str
    need: str
    passage: Passage | None = None
    """What it was checked against; that of an earlier sentence where `need` is to continue."""
    relevant: bool = True
    support: Support | None = None


@dataclass
class Labelled:
    """What came of labelling."""

    examples: list[dict[str, str]] = field(default_factory=list)
    """For fine-tuning: `prompt` and `completion`."""
    counts: Counter[str] = field(default_factory=Counter)
    """Of each reflection token."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Pairs without all labels, by reason."""
    agreement: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By kind of label: how many came out the same when labelled again, and of how many."""
    calls: int = 0


def load_pairs(path: Path) -> list[Pair]:
    """Read JSON Lines of instructions and answers.

    Raises:
        InputError: The file cannot be read, holds none, or a line is no pair; the message names its line.
    """
    try:
        text = decode_rows(path.read_bytes())
    except OSError as error:
        raise InputError(f"instructions {str(path)!r}: {error.strerror}; give a JSON Lines file") from None
    pairs = list(_pairs(text or "", path))
    if not pairs:
        raise InputError(f"instructions {str(path)!r}: no line; give one JSON object a line: instruction and output")
    return pairs


def _pairs(text: str, path: Path) -> Iterator[Pair]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield Pair.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "line"
            said = f"{place}={shown(first['input'])}: {first['msg']}"
            raise InputError(f"instructions {str(path)!r} line {number}: {said}") from None


async def label(
    pairs: Sequence[Pair],
    model: str,
    collections: Sequence[str],
    *,
    passages: int = 3,
    relabel: float = 0.1,
    seed: int = 0,
    max_concurrency: int = 8,
    log: Log | None = None,
    done: Done = lambda what, count, total: None,
) -> Labelled:
    """Label the pairs, and some of them again by the same critic at temperature 0.7, to see how far it agrees.

    Args:
        pairs: Instructions with their answers.
        model: The critic, as `provider:model`.
        collections: Where passages are searched for.
        passages: How many for each sentence that needs them.
        relabel: Share of the pairs to label again, in [0, 1].
        seed: Which ones.
        max_concurrency: Model calls in flight at once.
        log: Of what the critic said in an earlier run, and where what it says now is kept.
        done: Told of progress.

    Raises:
        ModelError: The model answers for no pair, or refuses each.
        CollectionError: A collection is missing.
    """
    turns = asyncio.Semaphore(max_concurrency)
    first = Critic(model, turns=turns, log=log)
    labelled = await _all(list(dict.fromkeys(pairs)), first, collections, passages, "labelling", done)
    errors = [found for found in labelled.values() if isinstance(found, ModelError)]
    if errors and len(errors) == len(labelled):
        raise errors[0]
    drawn = random.Random(seed).sample(list(labelled), len(labelled))  # the same in a run that goes on
    whole = [pair for pair in drawn if isinstance(labelled[pair], tuple)]
    sample = whole[: round(relabel * len(whole))]
    again = Critic(model, temperature=RELABEL_TEMPERATURE, turns=turns, log=log)
    await _all(sample, again, collections, passages, "labelling again", done)
    result = Labelled(agreement=agreement(first, again), calls=first.calls + again.calls)
    for pair, found in labelled.items():
        if isinstance(found, tuple):
            completion = interleaved(*found)
            result.examples.append({"prompt": instruction(pair.instruction), "completion": completion})
            result.counts.update(tokens_of(*found))
        else:
            result.left_out[str(found)] += 1
    return result


async def _all(
    pairs: Sequence[Pair], critic: Critic, collections: Sequence[str], passages: int, what: str, done: Done
) -> dict[Pair, tuple[list[Part], int] | str | ModelError]:
    """Return the labels of each pair, or why it has none."""
    ready = 0

    async def one(pair: Pair) -> tuple[list[Part], int] | str | ModelError:
        nonlocal ready
        try:
            return await _label_pair(pair, critic, collections, passages)
        except Unreadable as error:
            return f"the critic's label cannot be read: {error}"
        except ModelError as error:  # the next pair may be shorter, or find the model up again
            return error
        finally:
            ready += 1
            done(what, ready, len(pairs))

    return dict(zip(pairs, await asyncio.gather(*map(one, pairs)), strict=True))


async def _label_pair(
    pair: Pair, critic: Critic, collections: Sequence[str], passages: int
) -> tuple[list[Part], int] | str:
    """Return the labelled sentences and the utility; a reason if no passage is found where one is needed."""
    utility = await critic.utility(pair.instruction, pair.output)
    parts: list[Part] = []
    evidence: Passage | None = None
    for start, end in sentences(pair.output):
        text, before = pair.output[start:end], pair.output[:start].strip()
        need = await critic.need(pair.instruction, before, text, has_evidence=evidence is not None)
        if need == "no":
            parts.append(Part(text, need))
        elif need == "continue" and evidence is not None:
            support = await critic.support(pair.instruction, text, evidence)
            parts.append(Part(text, need, evidence, support=support))
        else:
            found = await asyncio.to_thread(search, f"{pair.instruction} {text}", collections, k=passages)
            if not found.passages:
                return "no passage was found where one is needed"
            parts.append(await _best(pair.instruction, text, found.passages, critic))
            evidence = parts[-1].passage if parts[-1].relevant else evidence
    return parts, utility


async def _best(question: str, text: str, passages: Sequence[Passage], critic: Critic) -> Part:
    """Return the sentence with the relevant passage that supports it most; with the first one if none is relevant."""
    relevant = await asyncio.gather(*(critic.relevant(question, passage) for passage in passages))
    kept = [passage for passage, is_relevant in zip(passages, relevant, strict=True) if is_relevant]
    if not kept:
        return Part(text, "yes", passages[0], relevant=False)
    grades = await asyncio.gather(*(critic.support(question, text, passage) for passage in kept))
    order = list(TOKENS)
    best = min(range(len(kept)), key=lambda place: order.index(grades[place]))
    return Part(text, "yes", kept[best], support=grades[best])


def tokens_of(parts: Sequence[Part], utility: int) -> Iterator[str]:
    """Yield every reflection token of a labelled answer."""
    for part in parts:
        yield {"no": NO_RETRIEVAL, "continue": CONTINUE}.get(part.need, RETRIEVAL)
        if part.need == "yes":
            yield RELEVANT if part.relevant else IRRELEVANT
        if part.support:
            yield TOKENS[part.support]
    yield UTILITIES[utility - 1]


def interleaved(parts: Sequence[Part], utility: int) -> str:
    """Return the answer with its passages and reflection tokens, as a model is to learn to write it."""
    written = ""
    for part in parts:
        tokens = iter(tokens_of([part], utility))
        written += next(tokens)
        if part.need == "yes" and part.passage is not None:
            written += paragraph(part.passage) + next(tokens)
        written += harmless(part.text) + (TOKENS[part.support] if part.support else "")
    return written + UTILITIES[utility - 1]


def agreement(first: Critic, again: Critic) -> dict[str, tuple[int, int]]:
    """Return, by kind of label, how many decisions both made alike, and how many both made."""
    counts: dict[str, tuple[int, int]] = {}
    for about in first.decisions.keys() & again.decisions.keys():
        same, of = counts.get(about[0], (0, 0))
        counts[about[0]] = (same + (first.decisions[about] == again.decisions[about]), of + 1)
    return dict(sorted(counts.items()))
