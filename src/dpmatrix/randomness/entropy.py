"""Where random bits come from.

Every sampler of the library draws its bits through `Entropy.bits`, or in bulk through `Entropy.words`. A guarantee
assumes that these bits are independent and uniform and that nobody else sees them. `SystemEntropy` asks the operating
system, and is as good as the system's generator: the guarantee becomes a computational one, and a snapshot of a virtual
machine that is resumed twice replays whatever had been buffered. Its words in bulk are a cipher's stream under keys of
the system, with the assumptions of `fast_keystream`. `SeededEntropy` can be reproduced by anybody who knows the seed,
so it marks everything that it touches as not private.
"""

from __future__ import annotations

import hashlib
import os
import threading
from typing import Protocol

import numpy as np

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.fast_keystream import CIPHER, WORDS_PER_KEY, Words, fresh_words, system_bytes

BUFFER_BYTES = 4096
FIRST_WORDS = 1024
"""Words of the first buffer; each next one is twice as long, up to `WORDS_PER_KEY`."""
_FORKS = 0


class Entropy(Protocol):
    """A source of independent uniform bits."""

    @property
    def private(self) -> bool:
        """Whether the bits are secret, so that a guarantee may rest on them."""
        ...

    @property
    def description(self) -> str:
        """Name of the source, as a release records it."""
        ...

    def bits(self, count: int) -> int:
        """Draw a uniform integer in ``[0, 2**count)``."""
        ...

    def words(self, count: int) -> Words:
        """Draw ``count`` independent uniform 64-bit words, which nobody else will be given."""
        ...


def _count_fork() -> None:
    global _FORKS
    _FORKS += 1


os.register_at_fork(after_in_child=_count_fork)


def process_identity() -> tuple[int, int]:
    """Tell this process from its parent and from its children: what was drawn in another process is not ours."""
    return os.getpid(), _FORKS


class _Buffer(threading.local):
    """Bytes that one thread of one process has fetched and not yet used."""

    data = b""
    position = 0
    words: Words = np.empty(0, dtype=np.uint64)
    used = 0
    owner: tuple[int, int] = (0, -1)


class SystemEntropy:
    """Bits from the operating system (`os.urandom`), fetched in blocks, and words from the cipher of `fast_keystream`.

    Each thread has its own buffer, so that threads need no lock and never share a bit. A child process discards the
    buffer that it inherits: otherwise parent and child would draw the same noise, and the difference of their releases
    would be free of it.
    """

    private = True
    description = f"operating system; words by {CIPHER}"

    def __init__(self) -> None:
        self._buffer = _Buffer()

    def bits(self, count: int) -> int:
        """Draw a uniform integer in ``[0, 2**count)``.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        EntropyError
            If the operating system gives no random bytes.
        """
        size = _byte_count(count)
        buffer = self._own_buffer()
        if size > len(buffer.data) - buffer.position:
            buffer.data, buffer.position = system_bytes(max(size, BUFFER_BYTES)), 0
        chunk = buffer.data[buffer.position : buffer.position + size]
        buffer.position += size
        return _low_bits(chunk, count)

    def words(self, count: int) -> Words:
        """Draw ``count`` uniform 64-bit words from the cipher stream of `fast_keystream`.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        EntropyError
            If the operating system gives no key.
        """
        _byte_count(count)
        buffer = self._own_buffer()
        if count >= WORDS_PER_KEY:
            return fresh_words(count)
        if count > len(buffer.words) - buffer.used:
            size = min(max(count, FIRST_WORDS, 2 * len(buffer.words)), WORDS_PER_KEY)
            buffer.words, buffer.used = fresh_words(size), 0
        # Disjoint views: no word is handed out twice, and a caller may overwrite its own.
        chunk = buffer.words[buffer.used : buffer.used + count]
        buffer.used += count
        return chunk

    def _own_buffer(self) -> _Buffer:
        buffer, owner = self._buffer, process_identity()
        if buffer.owner != owner:
            buffer.data, buffer.position = b"", 0
            buffer.words, buffer.used = np.empty(0, dtype=np.uint64), 0
            buffer.owner = owner
        return buffer


class SeededEntropy:
    """Bits that a seed determines, for tests: SHAKE-256 in counter mode. Never private.

    Parameters
    ----------
    seed
        Any integer; it fixes the sequence of bytes, of which every call takes as many as it needs.
    """

    private = False

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise InvalidParameterError("seed", f"{seed!r} is not an integer", "pass an int")
        self._key = f"dpmatrix/{seed}/".encode()
        self._blocks = 0
        self._data = b""
        self.description = f"seed {seed}"

    def bits(self, count: int) -> int:
        """Draw the next integer in ``[0, 2**count)``.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        """
        return _low_bits(self._take(_byte_count(count)), count)

    def words(self, count: int) -> Words:
        """Draw the next ``count`` words: the numbers that as many calls of ``bits(64)`` would give.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        """
        _byte_count(count)
        return np.frombuffer(self._take(8 * count), dtype=">u8").astype(np.uint64)

    def _take(self, size: int) -> bytes:
        parts, ready = [self._data], len(self._data)
        while ready < size:
            block = self._key + self._blocks.to_bytes(8, "big")
            parts.append(hashlib.shake_256(block).digest(BUFFER_BYTES))
            ready += BUFFER_BYTES
            self._blocks += 1
        data = b"".join(parts)
        self._data = data[size:]
        return data[:size]


def _byte_count(count: int) -> int:
    if count < 0:
        raise InvalidParameterError("count", f"{count} bits", "ask for zero bits or more")
    return (count + 7) // 8


def _low_bits(chunk: bytes, count: int) -> int:
    # Whole bytes are fetched; the surplus bits are thrown away, never reused.
    return int.from_bytes(chunk, "big") >> (8 * len(chunk) - count)
