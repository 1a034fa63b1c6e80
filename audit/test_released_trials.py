"""A machine whose matrix products are not exact on integers: it is refused before a record is multiplied.

A product in doubles is tried once for each size, on integers whose sums come close to 2^53. What stands here in the
place of the machine's own product errs as machines do: in too few digits, by adding before multiplying, in one entry
alone. Nothing is statistical.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import UnsoundArithmeticError
from dpmatrix.mechanisms import LaplaceInputPerturbation, tried_products
from dpmatrix.randomness.entropy import SeededEntropy


def short(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Multiply in numbers of 24 digits."""
    return np.asarray(first.T.astype(np.float32) @ second.astype(np.float32), dtype=np.float64)


def strassen(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Add before multiplying, as an algorithm of Strassen's kind does: here for a sum of two halves."""
    half = len(first) // 2
    upper, lower = first[:half], first[half : 2 * half]
    mixed = (upper + lower).T @ (second[:half] + second[half : 2 * half])
    cross = upper.T @ second[half : 2 * half] + lower.T @ second[:half]
    return np.asarray(mixed - cross + first[2 * half :].T @ second[2 * half :])


def fractional(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return halves."""
    return np.asarray(first.T @ second + 0.5)


def one_off(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return one more in the last entry."""
    found = np.asarray(first.T @ second)
    found[-1, -1] += 1
    return found


def negated(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the sign of others."""
    return np.asarray(-(first.T @ second))


def others_only(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Be wrong where a matrix is multiplied with another one."""
    found = np.asarray(first.T @ second)
    return found if np.array_equal(first, second) else found - 1


MACHINES: tuple[Callable[..., np.ndarray], ...] = (short, strassen, fractional, one_off, negated, others_only)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.__name__.replace("_", "-"))
def test_a_machine_whose_products_are_not_exact_is_refused(
    monkeypatch: Any, machine: Callable[..., np.ndarray]
) -> None:
    """Before a record is multiplied, for every number of rows and columns; the control is this machine."""
    seen: list[np.ndarray] = []

    def watched(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        seen.append(first)
        return machine(first, second)

    for rows, columns in ((7, 3), (9, 3), (1, 1), (2, 20)):
        if machine is strassen and rows < 2:
            continue
        data = np.full((rows, columns), 0.125 / columns)
        mechanism = LaplaceInputPerturbation(1, norm_bound=1)
        tried_products.try_product.cache_clear()
        with monkeypatch.context() as patched:
            patched.setattr(tried_products, "_product", watched)
            seen.clear()
            with pytest.raises(UnsoundArithmeticError):
                mechanism.release(data, entropy=SeededEntropy(1))
            assert all((first > 2**20).all() for first in seen), "known integers alone"
            assert all(rows <= len(first) < 2 * max(rows, 1) for first in seen)
        tried_products.try_product.cache_clear()
        assert mechanism.release(data, entropy=SeededEntropy(1)).integers.shape == (columns, columns), "control"


def test_one_false_entry_is_seen_whatever_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """In two hundred trials, each with integers of its own; their sums come close to 2^53, and none reaches it."""
    seen: list[np.ndarray] = []

    def watched(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        seen.extend((first, second))
        return one_off(first, second)

    def refused(rows: int, columns: int) -> bool:
        try:
            tried_products.try_product(rows, columns)
        except UnsoundArithmeticError:
            return True
        return False

    tried_products.try_product.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(tried_products, "_product", watched)
        assert all(refused(rows, columns) for rows in range(1, 51) for columns in range(1, 5))
    tried_products.try_product.cache_clear()
    assert not any(refused(rows, columns) for rows in range(1, 41) for columns in range(1, 6)), "control"
    for numbers in seen:
        largest = math.isqrt((2**53 - 1) // len(numbers))
        assert (numbers == np.floor(numbers)).all()
        assert 2 * numbers.min() > largest >= numbers.max()
    assert len(np.unique(np.concatenate([numbers.ravel() for numbers in seen]))) > 9 * len(seen) // 10
    assert all(len(np.unique(numbers)) > 1 for numbers in seen if numbers.size > 2)
    # A false entry is off by less than 2^53, so one weight in 2^12 at most hides it; this often all of them do.
    assert 2 ** (12 * tried_products._CHECKS) >= 2**48


@pytest.mark.parametrize(
    ("rows", "columns", "tried"),
    [(1, 1, 1), (2, 3, 2), (3, 3, 4), (4, 3, 4), (5, 3, 8), (9, 2, 16), (300, 2, 512), (2**19 + 1, 2, 2**19)],
)
def test_a_trial_is_of_the_next_power_of_two_of_rows_and_the_product_is_not_turned(
    rows: int, columns: int, tried: int
) -> None:
    """A trial that was made is not made again, which its memory counts; products are of at most 2^20 numbers."""
    trial = tried_products.try_product
    trial.cache_clear()
    trial(tried, columns)
    first = np.arange(rows * columns, dtype=np.float64).reshape(rows, columns) % 7
    second = np.arange(rows * columns, dtype=np.float64).reshape(rows, columns) % 5 - 1
    found = tried_products.integer_product(first, second)
    assert (trial.cache_info().misses, trial.cache_info().hits) == (1, 1)
    for i, j in {(0, columns - 1), (columns - 1, 0), (columns // 2, 0)}:
        assert int(found[i, j]) == int((first[:, i].astype(np.int64) * second[:, j].astype(np.int64)).sum())
