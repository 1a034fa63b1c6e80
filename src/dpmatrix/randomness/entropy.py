"""Where random bits come from.

Every sampler of the library draws its bits through one method, `Entropy.bits`. A guarantee assumes that these bits are
independent and uniform and that nobody else sees them. `SystemEntropy` asks the operating system, and is as good as
the system's generator: the guarantee becomes a computational one, and a snapshot of a virtual machine that is resumed
twice replays whatever had been buffered. `SeededEntropy` can be reproduced by anybody who knows the seed, so it marks
everything that it touches as not private.
"""

from __future__ import annotations

import hashlib
import os
import threading
from typing import Protocol

from dpmatrix.errors import InvalidParameterError

BUFFER_BYTES = 4096
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


def _count_fork() -> None:
    global _FORKS
    _FORKS += 1


os.register_at_fork(after_in_child=_count_fork)


class _Buffer(threading.local):
    """Bytes that one thread of one process has fetched and not yet used."""

    data = b""
    position = 0
    owner: tuple[int, int] = (0, -1)


class SystemEntropy:
    """Bits from the operating system (`os.urandom`), fetched in blocks.

    Each thread has its own buffer, so that threads need no lock and never share a bit. A child process discards the
    buffer that it inherits: otherwise parent and child would draw the same noise, and the difference of their releases
    would be free of it.
    """

    private = True
    description = "operating system"

    def __init__(self) -> None:
        self._buffer = _Buffer()

    def bits(self, count: int) -> int:
        """Draw a uniform integer in ``[0, 2**count)``.

        Raises
        ------
        InvalidParameterError
            If ``count`` is negative.
        """
        size = _byte_count(count)
        buffer = self._buffer
        owner = (os.getpid(), _FORKS)
        if buffer.owner != owner:
            buffer.data, buffer.position, buffer.owner = b"", 0, owner
        if size > len(buffer.data) - buffer.position:
            buffer.data, buffer.position = os.urandom(max(size, BUFFER_BYTES)), 0
        chunk = buffer.data[buffer.position : buffer.position + size]
        buffer.position += size
        return _low_bits(chunk, count)


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
        size = _byte_count(count)
        while len(self._data) < size:
            block = self._key + self._blocks.to_bytes(8, "big")
            self._data += hashlib.shake_256(block).digest(BUFFER_BYTES)
            self._blocks += 1
        chunk, self._data = self._data[:size], self._data[size:]
        return _low_bits(chunk, count)


def _byte_count(count: int) -> int:
    if count < 0:
        raise InvalidParameterError("count", f"{count} bits", "ask for zero bits or more")
    return (count + 7) // 8


def _low_bits(chunk: bytes, count: int) -> int:
    # Whole bytes are fetched; the surplus bits are thrown away, never reused.
    return int.from_bytes(chunk, "big") >> (8 * len(chunk) - count)
