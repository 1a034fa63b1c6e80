"""Files of windows are closed by a code that is computed here anew; a memory that was made by hand promises nothing.

Nothing is statistical.
"""

from __future__ import annotations

import hashlib
import hmac

import pytest

from audit.released.windows import GUARANTEE, SMALL
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams import SlidingWindowGram, resume, suspend
from dpmatrix.mechanisms.streams.window import WindowMemory


@pytest.mark.parametrize("key", [None, b"k", b"a secret"])
def test_a_file_is_closed_by_the_code_of_its_line_under_the_key(tmp_path, key: bytes | None) -> None:
    """HMAC of RFC 2104 with SHA-256, of which the security is known; without a key it is a checksum."""
    path = tmp_path / "window"
    suspend(SlidingWindowGram(SMALL), path, key=key)
    code, line, rest = path.read_bytes().split(b"\n")
    assert rest == b""
    assert code.decode("ascii") == hmac.new(key or b"", line, hashlib.sha256).hexdigest()
    assert resume(path, key=key).time == 0, "control"


def test_an_empty_key_opens_nothing(tmp_path) -> None:
    """Its code is that of no key, which everybody can write."""
    path = tmp_path / "window"
    suspend(SlidingWindowGram(SMALL), path)
    with pytest.raises(InvalidParameterError):
        resume(path, key=b"")
    assert resume(path).time == 0, "control"


def test_a_memory_that_says_nothing_of_its_bits_has_no_guarantee() -> None:
    memory = SlidingWindowGram(SMALL).hand_over()
    by_hand = WindowMemory(memory.sums, memory.held)
    window = SlidingWindowGram(SMALL, memory=by_hand)
    assert (window.guarantee, window.publish().guarantee) == (None, None)
    memory = window.hand_over()
    assert not memory.private
    other = SlidingWindowGram(SMALL).hand_over()
    assert SlidingWindowGram(SMALL, memory=other).guarantee == GUARANTEE, "control"
