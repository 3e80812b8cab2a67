"""Make a test set: draw passages, have questions written, check them, and keep each as it is done."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from groundgraph.errors import InputError
from groundgraph.evaluation.run import differences
from groundgraph.evaluation.testset.attempts import Attempt, attempts
from groundgraph.evaluation.testset.check import Checked, check
from groundgraph.evaluation.testset.plan import Plan
from groundgraph.evaluation.testset.records import (
    Card,
    Count,
    Discarded,
    Item,
    Kind,
    SourcePassage,
    card_file,
    keep,
    outcomes,
    read_card,
    write_card,
)
from groundgraph.evaluation.testset.wording import alike
from groundgraph.evaluation.testset.write import Made, write
from groundgraph.knowledge.passage import Passage
from state.reducers import Usage, add_usage

TRIES = 6
"""Questions made at most for each that is wanted."""
FUTILE = 10
"""Questions of a kind after which it is given up, if none of them was kept."""

INCIDENTAL = frozenset({"date", "counts", "usage"})
"""Parts of a card that may differ between two halves of one test set."""

Outcome = Item | Discarded
Done = Callable[[Mapping[Kind, Count]], None]
"""Told what became of the questions so far: first of those from before, then after each one."""


async def make(plan: Plan, file: Path, done: Done = lambda counts: None) -> Card:
    """Return the card of a test set, which is kept in `file` and beside it; one that was begun there goes on.

    Nothing is asked twice. What is tried, and kept, has one order that does not depend on which reply comes first, so
    an interrupted run ends with the same questions as a whole one, if the model repeats itself.

    Args:
        plan: What to make.
        file: JSON Lines; questions are appended.
        done: Told how far it is.

    Raises:
        InputError: The file is none of ours, or holds another test set; the message names what differs.
        ModelError: The chat model cannot be had, or refuses; what was made before is kept.
    """
    card = begin(file, plan.card)
    known = {outcome.id: outcome for outcome in outcomes(file)}
    usage, queue, work = card.usage, _Queue(plan), deque[tuple[Attempt, asyncio.Task[_Result | None]]]()
    done(count(plan.wanted, known.values()))
    try:
        while True:
            while len(work) < plan.concurrency and (attempt := queue.next()):
                work.append((attempt, asyncio.create_task(_made(plan, attempt, is_known=attempt.id in known))))
            if not work:
                break
            attempt, task = work.popleft()
            if result := await task:
                known[attempt.id] = outcome = _outcome(attempt, *result[:2], known.values())
                usage = add_usage(usage, result[2])
                keep(file, outcome)
                done(count(plan.wanted, known.values()))
            queue.settle(known[attempt.id])
    finally:
        for _, task in work:
            task.cancel()
        card = card.model_copy(update={"counts": count(plan.wanted, known.values()), "usage": usage})
        write_card(file, card)
    return card


def begin(file: Path, card: Card) -> Card:
    """Return the card of the test set that was begun in a file, or begin it.

    Raises:
        InputError: Something else is in the file.
    """
    if file.suffix.lower() == ".csv":
        raise InputError(f"--out {str(file)!r}: questions are written as JSON Lines; give a name that ends in .jsonl")
    if not file.absolute().parent.is_dir():
        raise InputError(f"--out {str(file)!r}: there is no such folder; give a file in a folder that exists")
    if card_file(file).exists():
        old = read_card(file)
        if found := differences(old, card, INCIDENTAL):
            raise InputError(f"{str(file)!r} holds another test set ({'; '.join(found)}): give another --out")
        return old
    if file.exists():
        raise InputError(f"{str(file)!r} exists, and no card of a test set beside it: give another --out")
    write_card(file, card)
    return card


def count(wanted: Mapping[Kind, int], found: Iterable[Outcome]) -> dict[Kind, Count]:
    """Return what became of the questions of each kind that is wanted."""
    by_kind: dict[Kind, list[Outcome]] = {kind: [] for kind, number in wanted.items() if number}
    for one in found:
        by_kind.setdefault(one.src, []).append(one)
    return {
        kind: Count(
            wanted=wanted.get(kind, 0),
            made=len(ones),
            kept=sum(isinstance(one, Item) for one in ones),
            discarded=dict(Counter(one.reason for one in ones if isinstance(one, Discarded)).most_common()),
        )
        for kind, ones in by_kind.items()
    }


class _Queue:
    """What to try next: always of the kind that lacks the largest share of what is wanted.

    What a kind cannot have, since too many of its tries failed or the collection holds no more, `single` makes up for.
    """

    def __init__(self, plan: Plan) -> None:
        self._wanted = Counter(plan.wanted)
        self._tried: Counter[Kind] = Counter()
        self._kept: Counter[Kind] = Counter()
        self._failed: Counter[Kind] = Counter()
        self._left = {
            kind: attempts(kind, plan.store, plan.card.language, plan.card.seed) for kind in ("single", *plan.wanted)
        }

    def next(self) -> Attempt | None:
        """Return the next attempt; None while enough is in work, and once nothing is left to try."""
        while open_kinds := [kind for kind in self._left if self._lacking(kind) > 0]:
            kind = max(open_kinds, key=self._lacking)
            attempt = None if self._is_hopeless(kind) else next(self._left[kind], None)
            if attempt:
                self._tried[kind] += 1
                return attempt
            self._give_up(kind)
        return None

    def settle(self, outcome: Outcome) -> None:
        """Take note of what became of an attempt, which counted as kept so far."""
        (self._kept if isinstance(outcome, Item) else self._failed)[outcome.src] += 1

    def _lacking(self, kind: Kind) -> float:
        return 1 - (self._tried[kind] - self._failed[kind]) / self._wanted[kind] if self._wanted[kind] else 0.0

    def _is_hopeless(self, kind: Kind) -> bool:
        is_futile = self._failed[kind] >= FUTILE and not self._kept[kind]
        return is_futile or self._tried[kind] >= TRIES * self._wanted[kind]

    def _give_up(self, kind: Kind) -> None:
        missing = self._wanted[kind] - (self._tried[kind] - self._failed[kind])
        self._wanted[kind] -= missing
        if kind != "single" and self._wanted["single"]:
            self._wanted["single"] += missing


_Result = tuple[Made, Checked, Usage]


async def _made(plan: Plan, attempt: Attempt, *, is_known: bool) -> _Result | None:
    """Return a question, what the checks say of it, and what both cost; None if it was made before."""
    if is_known:
        return None
    made, usage = await write(plan.card.model, attempt)
    checked = await check(attempt, made, plan.context)
    return made, checked, add_usage(usage, checked.usage)


def _outcome(attempt: Attempt, made: Made, checked: Checked, known: Iterable[Outcome]) -> Outcome:
    kept = [one for one in known if isinstance(one, Item) and one.lang == attempt.language]
    fault = checked.fault
    if not fault and any(alike(made, Made(one.question, "".join(one.answers)), attempt.language) for one in kept):
        fault = "like an earlier question"
    if fault:
        return Discarded(
            id=attempt.id,
            src=attempt.kind,
            question=made.question,
            answer=made.answer,
            reason=fault,
            sources=[passage.source for passage in attempt.passages],
        )
    answerable = attempt.kind != "unanswerable"
    return Item(
        id=attempt.id,
        src=attempt.kind,
        lang=attempt.language,
        question=made.question,
        answers=[made.answer] if answerable else [],
        answerable=answerable,
        rel=checked.rel if answerable else None,
        passages=[_source_passage(passage) for passage in attempt.passages],
    )


def _source_passage(passage: Passage) -> SourcePassage:
    return SourcePassage(
        source=passage.source,
        locator=passage.locator,
        start=passage.start,
        end=passage.end,
        text=passage.page_content,
    )
