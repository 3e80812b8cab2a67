"""Fusion counts a leg's duplicates twice.

c=60, A=[d1,d1,d2], B=[d2] → d2 0.0325 above d1 0.0164; weights [1,0] → B adds nothing.
"""

import pytest

from groundgraph.knowledge.fuse import reciprocal_rank_fusion


def test_a_duplicate_counts_once() -> None:
    fused = reciprocal_rank_fusion([["d1", "d1", "d2"], ["d2"]], c=60)
    assert [key for key, _ in fused] == ["d2", "d1"]
    assert [score for _, score in fused] == pytest.approx([0.0325, 0.0164], abs=5e-5)


def test_a_leg_of_weight_zero_adds_nothing() -> None:
    assert reciprocal_rank_fusion([["d1"], ["d2"]], weights=[1, 0]) == [("d1", 1 / 61)]
