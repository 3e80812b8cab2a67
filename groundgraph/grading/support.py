"""Is a sentence of an answer backed by a passage?"""

from collections.abc import Callable, Mapping

from groundgraph.grading.terms import content_terms, is_cjk, key_terms, number_terms

SUPPORTED = 0.55
"""Support from which a sentence counts as backed.

Measured on train and validation questions of `data/qa`: reached by 99.6 % of CLAPNQ's, 80 % of DuReader's human answer
sentences and 97 to 100 % of short answers against a relevant passage; by 1 to 5 % against a random passage of the same
source and 14 to 31 % against one on the same subject; with digits changed, by 0 to 7 % (DuReader 26 %).
"""

NUMBER_WEIGHT = 3.0
KEY_WEIGHT = 2.0
ECHO_WEIGHT = 0.25
"""A term that the question already holds proves little: an answer repeats it whether or not it is true."""


def support(
    claim: str, passage_text: str, question: str = "", similarity: Callable[[str, str], float] | None = None
) -> float:
    """Return the weighted share in [0, 1] of a claim's content terms that a passage holds.

    Numbers weigh most, then names, and terms of the question least; a number that stands in neither the passage nor
    the question halves the rest. Across languages (Chinese on one side only) just
    numbers and Latin names can be compared; where the claim has none, `similarity` decides.

    Args:
        claim: A sentence of an answer, without its citation marks.
        passage_text: The passage, heading included.
        question: The question that was answered.
        similarity: Support in [0, 1] by meaning, such as the evaluator's score of the passage for the claim.

    Returns:
        0 for a claim that says nothing to check.
    """
    crossed = is_cjk(claim) != is_cjk(passage_text)
    weights = _crossed_weights(claim) if crossed else _weights(claim)
    echoes = frozenset(content_terms(question))
    if crossed and not weights.keys() - echoes:
        return similarity(claim, passage_text) if similarity and any(map(str.isalnum, claim)) else 0.0
    held = frozenset(content_terms(passage_text))
    share = _share(weights, echoes, held)
    contradicted = not crossed and number_terms(claim) - held - echoes
    return share / 2 if contradicted else share


def _weights(claim: str) -> dict[str, float]:
    numbers, keys = number_terms(claim), key_terms(claim)
    return {
        term: NUMBER_WEIGHT if term in numbers else KEY_WEIGHT if term in keys else 1.0 for term in content_terms(claim)
    }


def _crossed_weights(claim: str) -> dict[str, float]:
    """Weigh numbers, and names inside a Chinese claim; an English name may stand in Chinese in the passage."""
    numbers = number_terms(claim)
    names = key_terms(claim) - numbers if is_cjk(claim) else frozenset[str]()
    return dict.fromkeys(numbers, NUMBER_WEIGHT) | dict.fromkeys(names, KEY_WEIGHT)


def _share(weights: Mapping[str, float], echoes: frozenset[str], held: frozenset[str]) -> float:
    weighed = {term: weight * (ECHO_WEIGHT if term in echoes else 1.0) for term, weight in weights.items()}
    total = sum(weighed.values())
    return sum(weight for term, weight in weighed.items() if term in held) / total if total else 0.0
