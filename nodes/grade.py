"""Grade passages against the question, and decide what to do about them (arXiv:2401.15884, section 4.3)."""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.grading.disagree import other_sides
from groundgraph.knowledge.passage import Passage, Tier
from nodes.node import Update, node, said
from nodes.score import score
from state.blocks import CragSettings
from state.context import Context

NOTHING = "neither the documents nor the web answer the question"
UNREAD = "no verdict on a passage could be read, and an unread one counts as Incorrect while crag.merge_ambiguous is on"
NO_RESULTS = "the documents do not answer the question, and there are no results of the web"


class Retrieved(TypedDict):
    """Passages to grade against the query."""

    query: str
    passages: list[Passage]


class Searched(TypedDict):
    """Web results to grade against the query, beside the local passages."""

    query: str
    passages: list[Passage]
    web_passages: list[Passage]


class Verdict(TypedDict):
    """What grading decided: the passages worth keeping, and whether to search the web."""

    passages: list[Passage]
    search_web: bool


def tier_of(score: float | None, low: float, high: float) -> Tier:
    """Return Correct at `score ≥ high`, Incorrect at `score ≤ low`, else, or without a score, Ambiguous."""
    if score is None:
        return "ambiguous"
    return "correct" if score >= high else "incorrect" if score <= low else "ambiguous"


def action_of(passages: Sequence[Passage], crag: CragSettings) -> Tier:
    """Return the action over all passages: by the best and the worst score (`paper`), by the mean, or by tiers."""
    if not passages:
        return "incorrect"
    tiers = {passage.tier for passage in passages}
    if crag.policy == "mean" and (average := mean(passages)) is not None:
        action = tier_of(average, crag.mean_low, crag.mean_high)
    else:
        action = "correct" if "correct" in tiers else "incorrect" if tiers == {"incorrect"} else "ambiguous"
    return "incorrect" if action == "ambiguous" and crag.merge_ambiguous else action


def mean(passages: Sequence[Passage]) -> float | None:
    """Return the mean score; None without any score."""
    scores = [passage.score for passage in passages if passage.score is not None]
    return sum(scores) / len(scores) if scores else None


def wants_web(passages: Sequence[Passage], action: Tier, crag: CragSettings) -> bool:
    """Return whether the web should be searched, were it allowed."""
    if crag.policy == "per_document" and crag.web_when == "any_incorrect":
        return not passages or any(_is_incorrect(passage, crag) for passage in passages)
    return action != "correct"


def usable(passages: Sequence[Passage], action: Tier, crag: CragSettings) -> list[Passage]:
    """Return the passages worth refining: none if the action is Incorrect, else those that are not Incorrect.

    Policy `paper` keeps Incorrect ones above `theta_keep` too: the second passage of a chain of facts answers nothing
    alone. Where the mean decides, a passage is not judged alone: all stay. Where each is corrected on its own, the
    two-tier form drops the Ambiguous ones too.
    """
    if crag.policy == "per_document":
        return [passage for passage in passages if not _is_incorrect(passage, crag)]
    if action == "incorrect":
        return []
    if crag.policy == "mean":
        return list(passages)
    return [passage for passage in passages if passage.tier != "incorrect" or (passage.score or 0) > crag.theta_keep]


@node
async def grade(state: Retrieved, runtime: Runtime[Context]) -> Update:
    """Score every passage in [0, 1], give it its tier, and decide: keep, best first, search the web, or refuse.

    An Incorrect passage that nearly is not, and contradicts one that is kept, is kept as well.
    """
    context, crag = runtime.context, runtime.context.crag
    scored = await score(state["query"], state["passages"], context)
    graded = [
        passage.model_copy(update={"tier": tier_of(passage.score, crag.theta_low, crag.theta_high)})
        for passage in scored.passages
    ]
    action = action_of(graded, crag)
    kept = usable(graded, action, crag)
    kept += other_sides(state["query"], kept, [passage for passage in graded if passage not in kept])
    kept.sort(key=lambda passage: -weight(passage))
    search_web = context.web_search != "off" and wants_web(graded, action, crag)
    reason = "" if kept else _shortfall(graded, crag)
    figures = {"scores": _scores(graded), "tiers": [passage.tier for passage in graded], "policy": crag.policy}
    return {
        "passages": kept,
        "action": action,
        "search_web": search_web,
        **({"refusal_reason": reason} if graded else {}),  # else retrieve has said that nothing was found
        "warnings": scored.warnings,
        "usage": scored.usage,
        "steps": said("grade", action, kept=len(kept), search_web=search_web, evaluator=context.evaluator, **figures),
    }


@node
async def grade_web(state: Searched, runtime: Runtime[Context]) -> Update:
    """Grade the web results with the same evaluator, drop the Incorrect ones, and put the rest among the passages."""
    context, crag = runtime.context, runtime.context.crag
    found = state["web_passages"]
    scored = await score(state["query"], found, context)
    graded = [
        passage.model_copy(update={"tier": tier_of(passage.score, crag.theta_low, crag.theta_high)})
        for passage in scored.passages
    ]
    kept = [passage for passage in graded if passage.tier != "incorrect"]
    dropped = [passage for passage in graded if passage.tier == "incorrect"]
    kept += other_sides(state["query"], [*state["passages"], *kept], dropped)
    passages = sorted([*state["passages"], *kept], key=lambda passage: -weight(passage, crag.web_weight))
    reason = "" if passages else NOTHING if found else NO_RESULTS
    return {
        "web_passages": kept,
        "passages": passages,
        "refusal_reason": reason,
        "warnings": scored.warnings,
        "usage": scored.usage,
        "steps": said("grade_web", f"{len(kept)} of {len(found)} kept", scores=_scores(graded)),
    }


def _is_incorrect(passage: Passage, crag: CragSettings) -> bool:
    """Return whether a passage, treated by its own tier, is of no use."""
    return passage.tier == "incorrect" or (crag.merge_ambiguous and passage.tier == "ambiguous")


def _shortfall(passages: Sequence[Passage], crag: CragSettings) -> str:
    """Return why no passage is usable: the score that decided, and what it had to be."""
    average = mean(passages)
    if average is None:
        reason = UNREAD
    elif crag.policy == "mean":
        reason = f"no passage answers the question (mean score {average:.3f}, needed above {crag.mean_low})"
        if crag.merge_ambiguous:
            reason = f"no passage answers the question (mean score {average:.3f}, needed {crag.mean_high})"
    else:
        best = max(passage.score for passage in passages if passage.score is not None)
        reason = f"no passage answers the question (best score {best:.3f}, needed above {crag.theta_low})"
        if crag.merge_ambiguous:
            reason = f"no passage answers the question (best score {best:.3f}, needed {crag.theta_high})"
    return reason


def weight(passage: Passage, web_weight: float = 1.0) -> float:
    """Return the score by which passages are ordered; an unknown one counts as a half."""
    value = 0.5 if passage.score is None else passage.score
    return value * web_weight if passage.origin == "web" else value


def _scores(passages: Sequence[Passage]) -> list[float | None]:
    return [None if passage.score is None else round(passage.score, 4) for passage in passages]
