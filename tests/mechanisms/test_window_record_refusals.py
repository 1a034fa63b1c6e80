"""A line of a file that is no record of a window, or one whose numbers contradict each other, is refused."""

from __future__ import annotations

import hashlib
import hmac
import json
from fractions import Fraction

import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.mechanisms.streams.record import code_of, read_record, sealed, text_of, unsealed, window_of
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

SMALL = WindowParameters(2, 12, PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE), leaf=3)


def test_the_code_of_a_line_is_that_of_its_key_and_nothing_else_is_read() -> None:
    for key in (b"secret", None):
        code = hmac.new(key or b"", b"a line", hashlib.sha256).hexdigest()
        assert code_of("a line", key) == code
        assert sealed("a line", key) == f"{code}\na line\n"
        assert unsealed(f"{code}\na line\n", key) == "a line"
        for other in (
            f"{code}\na line",
            f"{code}\na line\n\n",
            f"{code}a line\n",
            "a line\n",
            f"\n{code}\na line\n",
            "",
        ):
            assert unsealed(other, key) is None
    assert code_of("a line", b"") == code_of("a line", None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no record", "window holds no window"),
        ("[3]", "window holds no window"),
        ('"version"', "window holds no window"),
        ("3", "window holds no window"),
        ("{}", "window holds no window"),
        ('{"version": 3}', "window does not say whether it has a counter"),
        ('{"version": 3, "counted": 1}', "window does not say whether it has a counter"),
        ('{"version": 3, "counted": "true"}', "window does not say whether it has a counter"),
        ('{"version": 2, "counted": 1}', "version 2 is unknown"),
        ('{"version": 3, "counted": false, "keyed": true}', "window was written with one; pass the same key"),
    ],
)
def test_a_line_that_is_no_record_is_refused(tmp_path, text: str, words: str) -> None:
    path = tmp_path / "window"
    path.write_text(sealed(text, None), encoding="ascii")
    with pytest.raises(InvalidParameterError, match=words) as caught:
        read_record(path, None, counted=False)
    assert caught.value.parameter == ("key" if "key" in words else "path")


@pytest.mark.parametrize(("said", "asked"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_counter_belongs_to_a_window_or_it_does_not(tmp_path, said: bool, asked: bool) -> None:
    path, record = tmp_path / "window", {"version": 3, "counted": said}
    path.write_text(sealed(json.dumps(record), b"key"), encoding="ascii")
    if said is asked:
        assert read_record(path, b"key", counted=asked) == record
        return
    words = "was suspended with one; pass the same counter" if said else "was suspended without one; resume it without"
    with pytest.raises(InvalidParameterError, match=f"window {words}") as caught:
        read_record(path, b"key", counted=asked)
    assert caught.value.parameter == "counter"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": 2}, ""),
        ({"rows": 3}, "contradict"),
        ({"rows": -1}, "contradict"),
        ({"rows": 1.0}, "contradict"),
        ({"suspensions": -1}, "contradict"),
        ({"suspensions": True}, "contradict"),
        ({"suspensions": 0}, ""),
        ({"stream": ""}, "contradict"),
        ({"stream": "a/b"}, "contradict"),
        ({"stream": 7}, "contradict"),
        ({"total": [1, 2]}, "contradict"),
        ({"total": [1, 2, 3, 4]}, "contradict"),
        ({"total": [1, 2, 3.0]}, "a sum holds what is no integer"),
        ({"total": [1, 2, True]}, "a sum holds what is no integer"),
        ({"parts": [None] * 3}, "contradict"),
        ({"parts": [[[1] * 3, [1] * 3]] * 2}, "contradict"),
        ({"parts": [[[1] * 3, [1] * 2], *[[[1] * 3, [1] * 3]] * 2]}, "contradict"),
        ({"parts": [[[1] * 3, [1] * 3]] * 3}, ""),
        ({"held": [[0, [1, 2]]]}, "contradict"),
        ({"held": [[0.0, [1, 2, 3]]]}, "contradict"),
    ],
    ids=repr,
)
def test_numbers_of_a_record_that_contradict_each_other_are_refused(change: dict[str, object], words: str) -> None:
    memory = SlidingWindowGram(SMALL, entropy=SeededEntropy(1)).hand_over()
    record = json.loads(text_of(memory, keyed=False, counted=False)) | change
    if not words:
        window_of(record)
        return
    with pytest.raises(InvalidParameterError, match=words) as caught:
        window_of(record)
    assert caught.value.parameter == "path"
