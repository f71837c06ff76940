"""
Sign-bit codes of vectors: a small stand-in that finds candidates, which are then compared exactly.

A code has one bit per component, set where it is positive. The Hamming distance of two codes follows the angle between
their vectors (Charikar 2002). Centring and rotating the vectors first did not help on
sentence embeddings.
"""

from typing import TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from pckc_adapters_sqlite.connection import Row

BLOCK_SLOTS = 1024

Codes: TypeAlias = npt.NDArray[np.uint64]
Partitions: TypeAlias = npt.NDArray[np.uint32]
Vectors: TypeAlias = npt.NDArray[np.float32]

NO_PARTITION = 0
"""Marks an empty slot."""


def code_words(dimensions: int) -> int:
    """Return the number of 64-bit words of a code."""
    return -(-dimensions // 64)


def encode(vectors: Vectors) -> Codes:
    """Return the codes, shape (n, words), of *vectors*, shape (n, dimensions)."""
    count, dimensions = vectors.shape
    bits = np.zeros((count, code_words(dimensions) * 64), dtype=np.bool_)
    bits[:, :dimensions] = vectors > 0
    return np.packbits(bits, axis=1).view(np.uint64)


@attrs.frozen(eq=False)
class Block:
    """`BLOCK_SLOTS` neighbouring slots: the partition of each, shape (slots,), and its code, shape (slots, words)."""

    partitions: Partitions
    codes: Codes

    @classmethod
    def empty(cls, words: int) -> "Block":
        """Return a block of empty slots."""
        return cls(np.zeros(BLOCK_SLOTS, np.uint32), np.zeros((BLOCK_SLOTS, words), np.uint64))

    @classmethod
    def read(cls, partitions: bytes, codes: bytes) -> "Block":
        """Return a block that can be changed, from its stored form."""
        return cls(np.frombuffer(partitions, "<u4").copy(), np.frombuffer(codes, "<u8").reshape(BLOCK_SLOTS, -1).copy())

    def row(self) -> Row:
        """Columns partitions and codes."""
        return self.partitions.astype("<u4").tobytes(), self.codes.astype("<u8").tobytes()


@attrs.frozen(eq=False)
class Snapshot:
    """
    The codes of one scope as of a revision; never changed.

    Attributes:
        revision: Of the scope's vectors.
        blocks: By number.
        slots: Slot of each row below, shape (n,).
        partitions: Partition of each row, shape (n,).
        codes: Shape (words, n): each word lies in one piece, which counting its bits runs through fastest.
    """

    revision: int
    blocks: dict[int, Block]
    slots: npt.NDArray[np.int64]
    partitions: Partitions
    codes: Codes

    @classmethod
    def of(cls, revision: int, blocks: dict[int, Block]) -> "Snapshot":
        """Join *blocks*, of which there is at least one."""
        numbers = sorted(blocks)
        partitions = np.concatenate([blocks[number].partitions for number in numbers])
        starts = np.array(numbers, np.int64)[:, None] * BLOCK_SLOTS
        slots = (starts + np.arange(BLOCK_SLOTS)).ravel()
        codes = np.concatenate([blocks[number].codes for number in numbers])
        return cls(revision, blocks, slots, partitions, np.ascontiguousarray(codes.T))

    def nearest(self, code: Codes, partition_keys: list[int] | None, count: int) -> list[int]:
        """Return the slots of about the *count* nearest codes in these partitions; ``None`` means all of them."""
        if partition_keys is None:
            chosen = np.flatnonzero(self.partitions != NO_PARTITION)
        else:
            chosen = np.flatnonzero(self._is_in(partition_keys))
        if len(chosen) > count:
            is_many = 4 * len(chosen) > len(self.slots)  # then picking codes costs more than comparing them all
            distances = self._distances(code, None)[chosen] if is_many else self._distances(code, chosen)
            chosen = chosen[np.argpartition(distances, count)[:count]]
        return self.slots[chosen].tolist()  # type: ignore[no-any-return]  # numpy does not say

    def _is_in(self, partition_keys: list[int]) -> npt.NDArray[np.bool_]:
        """Return for each row whether its partition is one of these; a table, since ``np.isin`` would sort."""
        table = np.zeros(int(self.partitions.max()) + 1, np.bool_)
        table[[key for key in partition_keys if key < len(table)]] = True
        return table[self.partitions]

    def _distances(self, code: Codes, rows: npt.NDArray[np.int64] | None) -> npt.NDArray[np.uint16]:
        words = self.codes if rows is None else self.codes[:, rows]
        distances = np.zeros(words.shape[1], np.uint16)
        for word, wanted in zip(words, code, strict=True):
            distances += np.bitwise_count(word ^ wanted)
        return distances
