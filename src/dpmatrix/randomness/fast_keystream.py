"""Uniform 64-bit words in large blocks: AES-256 in counter mode under keys of the operating system.

Assumptions. The key and the first counter (48 bytes) come from `os.urandom` and are used for at most `WORDS_PER_KEY`
words, which is 2**16 blocks of the cipher. If AES-256 is a pseudorandom permutation, the words under one key differ
from uniform ones by an advantage of at most ``2**16 * (2**16 - 1) / 2**129 < 2**-97`` beside the advantage against the
cipher itself (switching lemma: blocks of a permutation never repeat). Keys are independent, so the advantages of many
keys add up. Keys and words that repeat each other are refused, see `source_health`. A key is forgotten when its block
is finished; Python does not wipe its memory. Without the `cryptography` package the words are those of `os.urandom`,
which is slower and needs no assumption on AES.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import EntropyError
from dpmatrix.randomness.source_health import PIECE_BYTES, check_answer, check_pieces

Words = npt.NDArray[np.uint64]

WORDS_PER_KEY = 1 << 17
"""Words drawn under one key: one mebibyte."""
KEY_BYTES = 32
COUNTER_BYTES = 16
_ZEROS = memoryview(bytes(8 * WORDS_PER_KEY))


def _ciphers() -> Any:  # noqa: ANN401
    try:
        return importlib.import_module("cryptography.hazmat.primitives.ciphers")
    except ImportError:
        return None


_CIPHERS = _ciphers()
CIPHER = "os.urandom" if _CIPHERS is None else "AES-256-CTR keyed by os.urandom"


def system_bytes(size: int) -> bytes:
    """Ask the operating system for ``size`` random bytes.

    Raises
    ------
    EntropyError
        If the system has no generator, fails, repeats itself, or gives fewer bytes than it was asked for.
    """
    asked = PIECE_BYTES + size
    try:
        answer = os.urandom(asked)
    except (OSError, NotImplementedError) as error:
        raise EntropyError(f"the operating system gave no random bytes: {error}") from error
    if len(answer) != asked:
        raise EntropyError(f"the operating system gave {len(answer)} random bytes instead of {asked}")
    check_answer(answer)
    return answer[PIECE_BYTES:]


def fresh_words(count: int) -> Words:
    """Draw ``count`` uniform words, under a new key for every `WORDS_PER_KEY` of them.

    Raises
    ------
    EntropyError
        If the operating system gives no key, or the cipher does not write words of its own.
    """
    if _CIPHERS is None:
        return np.frombuffer(bytearray(system_bytes(8 * count)), dtype=np.uint64)
    # The package asks for room for one more block than it fills.
    words = np.empty(count + COUNTER_BYTES // 8, dtype=np.uint64)
    room = words.data.cast("B")
    for start in range(0, count, WORDS_PER_KEY):
        size = 8 * min(WORDS_PER_KEY, count - start)
        secret = system_bytes(KEY_BYTES + COUNTER_BYTES)
        algorithm = _CIPHERS.algorithms.AES(secret[:KEY_BYTES])
        encryptor = _CIPHERS.Cipher(algorithm, _CIPHERS.modes.CTR(secret[KEY_BYTES:])).encryptor()
        written = encryptor.update_into(_ZEROS[:size], room[8 * start :])
        if written != size:
            raise EntropyError(f"the cipher gave {written} bytes instead of {size}")
        check_pieces(room[8 * start : 8 * start + size], "the cipher")
    words[count:] = 0
    return words[:count]
