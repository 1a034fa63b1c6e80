"""What shows that a source of random bits is stuck: repetitions that fair bits have with a negligible probability.

Each answer of the operating system begins with a tag of `PIECE_BYTES` bytes that is used for nothing else, so that it
can be remembered while nothing that was handed out is. Refused is an answer whose tag comes again in its first 4 KiB or
came with one of the last `REMEMBERED` answers, and one in which two of up to eight pieces, spread over all of it, are
equal. Of fair bits an answer of 4 KiB is refused with a probability below ``2**-115``. By so much, beside the
assumptions of `fast_keystream`, the bits that pass differ from uniform ones in total variation.

This finds a generator that gives constants, periods within an answer, or recent answers again. It cannot find one that
an adversary predicts, nor what two copies of a virtual machine have in common.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import EntropyError

PIECE_BYTES = 16
REMEMBERED = 16
_PIECES = 8
_LONGEST_PERIOD = 4096
_STUCK = 4
"""Equal words at the beginning of a draw that show a source of constants: fair ones have probability 2**-192."""
_recent_tags: tuple[bytes, ...] = ()


def check_answer(answer: bytes) -> None:
    """Look at an answer of the operating system: a tag, and what is to be used.

    Raises
    ------
    EntropyError
        If it repeats itself or a recent one.
    """
    global _recent_tags
    tag = answer[:PIECE_BYTES]
    # One assignment: of two threads one may be forgotten, and none sees half a list.
    known, _recent_tags = _recent_tags, (tag, *_recent_tags[: REMEMBERED - 1])
    if tag in known or answer.find(tag, 1, _LONGEST_PERIOD) >= 0:
        raise EntropyError("the operating system gave the same random bytes again: its generator is stuck")
    check_pieces(answer, "the operating system")


def check_pieces(data: bytes | memoryview, source: str) -> None:
    """Look at pieces that are spread over random bytes.

    Raises
    ------
    EntropyError
        If two of them are equal.
    """
    last = len(data) - PIECE_BYTES
    step = max(last // (_PIECES - 1), PIECE_BYTES)
    starts = range(0, last + 1, step)
    if len({bytes(data[start : start + PIECE_BYTES]) for start in starts}) < len(starts):
        raise EntropyError(f"{source} gave bytes that repeat each other: it is stuck")


def is_constant(words: npt.NDArray[np.uint64]) -> bool:
    """Whether the first words of a draw are so many that they cannot be equal by chance, and are equal."""
    first = words[:_STUCK].tolist()
    return len(first) == _STUCK and len(set(first)) == 1
