import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundgraph.errors import InputError
from groundgraph.knowledge.fuse import reciprocal_rank_fusion

LEGS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=4)


def test_two_second_places_beat_one_first() -> None:
    assert [key for key, _ in reciprocal_rank_fusion([["a", "b"], ["c", "b"]])] == ["b", "a", "c"]


def test_no_legs_give_nothing() -> None:
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


@pytest.mark.parametrize(("weights", "c"), [([1.0], 60), ([1.0, -1.0], 60), ([1.0, 1.0], -1)])
def test_bad_settings_are_refused(weights: list[float], c: int) -> None:
    with pytest.raises(InputError, match="fusion weights"):
        reciprocal_rank_fusion([["a"], ["b"]], weights, c)


@given(LEGS)
def test_every_id_comes_out_once_best_first(legs: list[list[str]]) -> None:
    fused = reciprocal_rank_fusion(legs)
    assert sorted(key for key, _ in fused) == sorted(set().union(*legs))
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)


@given(LEGS)
def test_the_order_of_legs_does_not_change_scores(legs: list[list[str]]) -> None:
    assert dict(reciprocal_rank_fusion(legs)) == pytest.approx(dict(reciprocal_rank_fusion(legs[::-1])))
