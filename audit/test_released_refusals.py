"""What comes of records that are none, or longer than the bound, or many: errors without entries, and every row once.

Nothing is statistical. An error that showed an entry would publish it, so neither its words nor the errors before it
may hold one; and rows are read in pieces, each of which counts once, is clipped, and belongs to the library alone.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators import DPPCA, DPSecondMoment
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    GaussianOrthogonal,
    LaplaceInputPerturbation,
    OnlinePerturbedLeader,
    Ppca,
    PrivateSubspaceRecovery,
    SequentialPpca,
    SymmetrisedWishartMechanism,
    records,
)
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

ADDED = Adjacency.ADD_REMOVE_ONE
DELTA = Fraction(1, 10**6)
SECRET = "73519"
MECHANISMS: dict[str, Callable[..., Any]] = {
    "laplace": LaplaceInputPerturbation,
    "gaussian": lambda *given, **more: AnalyzeGauss(*given, delta=DELTA, **more),
    "orthogonal": lambda *given, **more: GaussianOrthogonal(*given, delta=DELTA, **more),
    "wishart": SymmetrisedWishartMechanism,
    "ppca": Ppca,
    "sequential ppca": lambda *given, **more: SequentialPpca(*given, rank=2, **more),
    "leader": lambda *given, **more: OnlinePerturbedLeader(*given, steps=9, delta=DELTA, **more),
    "subspace": lambda *given, **more: PrivateSubspaceRecovery(*given, rank=1, delta=DELTA, **more),
}
NUMBER = float(SECRET)
BAD: dict[str, Any] = {
    "rows of other lengths": [[NUMBER, 0.0], [NUMBER]],
    "words": [[f"{SECRET}x", "0"], ["0", "0"]],
    "a word among objects": np.array([[NUMBER, f"{SECRET}x"], [0, 0]], dtype=object),
    "a list among objects": np.array([[NUMBER, [NUMBER]], [0, 0]], dtype=object),
    "complex": [[NUMBER + 1j, 0.0], [0.0, 0.0]],
    "no number beside one": [[NUMBER, float("nan")], [0.0, 0.0]],
    "an infinity beside one": [[NUMBER, float("inf")], [0.0, 0.0]],
    "beyond floats": [[int(SECRET) * 10**400, 0], [0, 0]],
    "more digits than a float": [[int(SECRET) * 10**20 + 1, 0], [0, 0]],
    "one axis": [NUMBER, 0.0],
    "three axes": [[[NUMBER, 0.0]]],
    "a dictionary": {SECRET: NUMBER},
    "masked": np.ma.masked_array([[NUMBER, 0.0], [0.0, 0.0]], mask=[[True, False], [False, False]]),
    "a masked row in a list": [np.ma.masked_array([NUMBER, 0.0], mask=[True, False]), [0.0, 0.0]],
}


def said(error: BaseException) -> str:
    """Return all that is printed of an error, with those before it."""
    return "".join(traceback.format_exception(error, limit=0))


def uses(name: str, data: Any) -> list[Callable[[], object]]:
    """List ways to publish data."""
    mechanism = MECHANISMS[name](1, ADDED, norm_bound=10**6)
    found = [lambda: mechanism.release(data, entropy=SeededEntropy(1))]
    if hasattr(mechanism, "release_blocks"):
        found.append(lambda: mechanism.release_blocks([data], 2, entropy=SeededEntropy(1)))
    return found


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", MECHANISMS)
def test_data_that_are_no_records_are_refused_without_an_entry(name: str, bad: str) -> None:
    for use in uses(name, BAD[bad]):
        with pytest.raises(InvalidParameterError) as caught:
            use()
        assert SECRET not in said(caught.value)
    assert all(use() for use in uses(name, [[NUMBER, 0.0], [0.0, NUMBER]])), "control"


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
@pytest.mark.parametrize("bad", [name for name in BAD if name != "more digits than a float"])
@pytest.mark.parametrize("kind", [DPPCA, DPSecondMoment])
def test_an_estimator_refuses_them_without_an_entry(kind: type, bad: str) -> None:
    """A number with more digits than a float is rounded there."""
    with pytest.raises((ValueError, TypeError, OverflowError)) as caught:
        kind(data_norm=10**6, random_state=1).fit(BAD[bad])
    assert SECRET not in said(caught.value)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_refusal_of_long_records_does_not_say_which_nor_how_long(name: str) -> None:
    """The numbers 5 and 73519 stand for row and entry; there are nine rows, all but one of them zero."""
    data = np.zeros((9, 3))
    data[5, 1] = NUMBER
    mechanism = MECHANISMS[name](1, ADDED, norm_bound=2, over_norm="reject")
    with pytest.raises(InvalidParameterError, match="no guarantee covers this refusal") as caught:
        mechanism.release(data, entropy=SeededEntropy(1))
    assert SECRET not in said(caught.value)
    assert "5" not in str(caught.value)


# Rows in pieces


def outputs(name: str, data: np.ndarray) -> list[list[int]]:
    """Publish data from known bits, and return all integers."""
    mechanism = MECHANISMS[name](1, ADDED, norm_bound=2)
    released = mechanism.release(data, entropy=SeededEntropy(1))
    parts = released if isinstance(released, (tuple, list)) else [released]
    found = [getattr(part, "integers", None) for part in parts]
    return [repr(parts) if entries is None else entries.tolist() for entries in found]


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_row_counts_once_in_whichever_piece_it_is_read(monkeypatch, name: str) -> None:
    """In one piece, in two, and row by row; rows are longer than the bound in every piece."""
    data = np.random.default_rng(5).standard_normal((9, 3)) * np.geomspace(0.1, 1000, 9)[:, None]
    whole = outputs(name, data)
    for rows in (1, 2, 5, 9, 100):
        monkeypatch.setattr(records, "block_rows", lambda _, rows=rows: rows)
        assert outputs(name, data) == whole
    assert outputs(name, np.vstack([data, data[4:5]])[-9:]) != whole, "control"


@pytest.mark.parametrize("rows", [1, 2, 9])
def test_a_window_counts_each_row_once(monkeypatch, rows: int) -> None:
    data = np.random.default_rng(5).standard_normal((9, 2)) * np.geomspace(0.1, 1000, 9)[:, None]
    parameters = WindowParameters(2, 4, PrivacyGuarantee(1, DELTA, ADDED), leaf=2)

    def memory() -> tuple[int, ...]:
        window = SlidingWindowGram(parameters, entropy=SeededEntropy(1))
        window.add(data)
        return window.memory

    whole = memory()
    monkeypatch.setattr(records, "block_rows", lambda _: rows)
    assert memory() == whole
    window = SlidingWindowGram(parameters, entropy=SeededEntropy(1))
    for row in data:
        window.add(row[None, :])
    assert window.memory == whole


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_was_checked_is_what_is_used(monkeypatch, name: str) -> None:
    """Another thread makes the row of the caller longer right after it was looked at."""
    data = np.full((1, 3), 0.5)
    expected, look = outputs(name, data), records.rows_over_norm

    def lengthened(block: np.ndarray, bound: Fraction) -> np.ndarray:
        found = look(block, bound)
        data[:] = 1000.0
        return found

    monkeypatch.setattr(records, "rows_over_norm", lengthened)
    assert outputs(name, data) == expected
    assert data[0, 0] == 1000.0, "control"


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.uint64, np.longdouble, bool, object])
def test_numbers_of_any_kind_are_read_as_they_are_and_clipped(kind: type) -> None:
    """Of whatever size and order in memory."""
    data = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 1]], dtype=kind)
    mechanism = LaplaceInputPerturbation(1, ADDED, norm_bound=Fraction(3, 2))
    expected = mechanism.release(data.astype(float), entropy=SeededEntropy(1))
    for form in (data, np.asfortranarray(data), data[::-1][::-1], data.tolist()):
        found = mechanism.release(form, entropy=SeededEntropy(1))
        assert found.integers.tolist() == expected.integers.tolist()
