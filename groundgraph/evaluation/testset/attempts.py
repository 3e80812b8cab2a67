"""What questions are made from: passages and pairs of passages, drawn evenly from all documents."""

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from groundgraph.evaluation.testset.records import Kind
from groundgraph.grading.terms import content_terms, key_terms, number_terms
from groundgraph.knowledge.diversify import folded
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences
from groundgraph.knowledge.store import Store
from nodes.language import Language, language_of
from state.context import Context

PASSAGE_TERMS = 8
"""Content terms from which a passage says enough to ask about."""
SENTENCE_TERMS = 5
"""Content terms from which a sentence does."""
LONGEST_SENTENCE = 300
"""Characters of a sentence that is asked about."""
ROUNDS = 5
"""Sentences of one passage that are asked about at most, one a round over all passages."""
NEIGHBOURS = 12
"""Passages nearest to one, among which its partner is looked for."""
SHARED_TERMS = 5
"""Content terms that two passages share if a question may join them; one name is enough."""

_NO_PROSE = ("#", "```", "~~~", "<")


@dataclass(frozen=True)
class Attempt:
    """One question to be made."""

    kind: Kind
    passages: tuple[Passage, ...]
    language: Language
    sentence: str = ""
    """The sentence of a single passage that it is about."""

    @property
    def id(self) -> str:
        """Return a name that is the same for the same passages of the same documents."""
        places = [(passage.source, passage.start, passage.end) for passage in self.passages]
        return f"{self.kind}-{hashlib.sha256(repr((places, self.sentence)).encode()).hexdigest()[:12]}"


def attempts(kind: Kind, store: Store, language: Language | None, seed: int) -> Iterator[Attempt]:
    """Yield the questions of a kind that could be made from a collection, in an order drawn by the seed.

    Each document has its turn before any has its second.

    Args:
        kind: What is asked for.
        store: Where the documents are.
        language: Take only passages in this language.
        seed: Of the order.
    """
    drawn = _Drawn(store, language, f"{seed} {kind}")
    if kind == "single":
        yield from _singles(drawn, seed)
    elif kind == "multi":
        yield from _pairs(drawn, store)
    else:
        yield from (Attempt(kind, (passage,), spoken) for passage, spoken in drawn)


class _Drawn:
    """The passages of a collection that say enough, in turn from each document; can be gone through again."""

    def __init__(self, store: Store, language: Language | None, seed: str) -> None:
        self._store = store
        self._language = language
        self._ids = in_turn(store.passage_ids(), seed)

    def __iter__(self) -> Iterator[tuple[Passage, Language]]:
        for one in self._ids:
            for passage in self._store.passages([one]):
                spoken = language_of(passage.page_content, Context())
                if self._language in {None, spoken} and len(content_terms(passage.page_content)) >= PASSAGE_TERMS:
                    yield passage, spoken


def in_turn(ids: Mapping[str, Sequence[str]], seed: str) -> list[str]:
    """Return every id once: the documents in an order drawn by the seed, one of each in every turn."""
    draw = random.Random(seed)
    shuffled = [draw.sample(ids[source], len(ids[source])) for source in draw.sample(sorted(ids), len(ids))]
    return [one for one in chain.from_iterable(zip_longest(*shuffled)) if one is not None]


def _singles(drawn: _Drawn, seed: int) -> Iterator[Attempt]:
    for number in range(ROUNDS):
        for passage, language in drawn:
            told = _telling(passage.page_content)
            random.Random(f"{seed} {passage.page_content}").shuffle(told)
            if number < len(told):
                yield Attempt("single", (passage,), language, told[number])


def _telling(text: str) -> list[str]:
    """Return the sentences of a text that say something by themselves."""
    found = [text[start:end] for start, end in sentences(text)]
    return [
        sentence
        for sentence in found
        if len(sentence) <= LONGEST_SENTENCE
        and not sentence.startswith(_NO_PROSE)
        and len(content_terms(sentence)) >= SENTENCE_TERMS
    ]


def _pairs(drawn: _Drawn, store: Store) -> Iterator[Attempt]:
    seen: set[frozenset[str | None]] = set()
    for passage, language in drawn:
        partner = _partner(passage, language, store)
        if partner and (pair := frozenset((passage.id, partner.id))) not in seen:
            seen.add(pair)
            yield Attempt("multi", (passage, partner), language)


def _partner(passage: Passage, language: Language, store: Store) -> Passage | None:
    """Return the nearest passage on the same subject, of another document if there is one."""
    (vector,) = store.vectors([passage.id or ""])
    near = store.passages([hit.id for hit in store.nearest(vector, NEIGHBOURS)])
    same = [
        other for other in near if language_of(other.page_content, Context()) == language and _joins(passage, other)
    ]
    return min(same, key=lambda other: other.source == passage.source, default=None)


def _joins(one: Passage, other: Passage) -> bool:
    """Tell whether two passages are on one subject, and not of one wording."""
    if other.id == one.id or len(folded([one, other])) == 1:
        return False
    texts = one.context, other.context
    terms, names = ([frozenset(of(text)) for text in texts] for of in (content_terms, _names))
    return bool(names[0] & names[1]) or len(terms[0] & terms[1]) >= SHARED_TERMS


def _names(text: str) -> frozenset[str]:
    return key_terms(text) - number_terms(text)
