"""What the file of a suspended window says is what the window was, and what contradicts itself is refused.

A guarantee that is larger than that of the noise, a part that is taken for another, or bits that were not secret and
are said to have been, would each be believed by whoever reads the file. Nothing is statistical.
"""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from audit.released.windows import GUARANTEE, ROW, SMALL, begun, record_of, rewrite
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.mechanisms.streams.record import text_of, window_of
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

UNUSUAL = WindowParameters(
    3,
    20,
    PrivacyGuarantee(Fraction(3, 7), Fraction(1, 999), Adjacency.REPLACE_ONE),
    leaf=5,
    coordinate_bits=9,
    eta=Fraction(1, 7),
    tolerance=Fraction(2, 9),
    over_norm="reject",
)


@pytest.mark.parametrize("parameters", [SMALL, UNUSUAL], ids=["usual", "unusual"])
@pytest.mark.parametrize("leaves", range(10))
def test_a_record_is_read_as_it_was_written(parameters: WindowParameters, leaves: int) -> None:
    """Over two blocks, between leaves and at their ends: guarantee, parameters, noise, and whether bits were secret."""
    for rows in range(0, parameters.leaf, 2):
        window = SlidingWindowGram(parameters, entropy=SeededEntropy(leaves))
        window.add(np.full((leaves * parameters.leaf + rows, parameters.dimension), 0.25))
        memory = evolve(window.hand_over(), suspensions=3, private=bool(leaves % 2))
        found, again = window_of(json.loads(text_of(memory, keyed=False, counted=False)))
        assert found == again.sums.parameters == parameters
        assert (again.sums.leaf, again.sums.rows, again.sums.total) == (leaves, rows, memory.sums.total)
        assert again.sums.parts == memory.sums.parts
        assert again.held == memory.held
        assert (again.stream, again.suspensions, again.private) == (memory.stream, 3, bool(leaves % 2))


CHANGES: list[dict[str, object]] = [
    {"version": 2},
    {"counted": 0},
    {"counted": None},
    {"counted": True},
    {"keyed": True},
    {"rows": 3},
    {"rows": -1},
    {"rows": True},
    {"suspensions": -1},
    {"suspensions": 1.0},
    {"suspensions": "1"},
    {"stream": ""},
    {"stream": "../x"},
    {"stream": 7},
    {"leaves_read": -1},
    {"total": [1, 2]},
    {"total": [1, 2, 3.0]},
    {"total": [1, 2, True]},
    {"parts": []},
    {"parts": [None] * 3},
    {"parts": [[[1] * 3, [1] * 3]] * 3},
    {"parts": [[[1] * 3, [1] * 2], None, [[1] * 3, [1] * 3]]},
    {"held": []},
    {"held": [[0, [0, 0, 0]]]},
    {"held": [[1, [0, 0, 0]]]},
    {"held": [[0, [0, 0, 0]], [0, [0, 0, 0]], [1, [0, 0, 0]]]},
    {"held": [[0, [0, 0]], [1, [0, 0, 0]]]},
    {"window": 48},
    {"adjacency": "none"},
    {"epsilon": "1/0"},
    {"epsilon": "-1"},
    {"delta": "0"},
    {"over_norm": "keep"},
]


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_a_record_that_contradicts_itself_is_refused_and_stays(tmp_path, change: dict[str, object]) -> None:
    path = tmp_path / "window"
    suspend(begun(), path)
    record = record_of(path)
    rewrite(path, record | change)
    with pytest.raises(InvalidParameterError):
        resume(path)
    rewrite(path, {name: value for name, value in record.items() if name not in change or name == "keyed"})
    if "keyed" not in change:
        with pytest.raises(InvalidParameterError):
            resume(path)
    rewrite(path, record)
    assert resume(path).time == 4, "control"


@pytest.mark.parametrize("said", [False, 1, "true", None, []])
def test_only_the_word_true_says_that_bits_were_secret(tmp_path, said: object) -> None:
    path = tmp_path / "window"
    for word, guarantee in ((said, None), (True, GUARANTEE)):
        suspend(begun(), path)
        rewrite(path, record_of(path) | {"private": word})
        window = resume(path)
        window.add(ROW * 8)
        assert (window.guarantee, window.publish().guarantee) == (guarantee, guarantee)
