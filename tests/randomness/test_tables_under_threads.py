"""Tables that are kept for the life of a process are right, or not made, whatever another thread does to the precision.

The precision of ball arithmetic is one number for the process. What another thread does is done here by the block that
sets the precision: it sets a lower one now and then, or always.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_discrete, fast_threshold, float_functions
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_discrete import discrete_laplace

MADE = [float_functions.logarithm_table, float_functions.logarithm_of_two, float_functions.sector_tables]


def disturbed(every: int):
    """Return `precision` as it is where another thread sets 30 bits in each so many blocks."""
    entered = [0]

    @contextmanager
    def block(bits: int) -> Iterator[None]:
        entered[0] += 1
        with precision(30 if entered[0] % every == 1 % every else bits):
            yield

    return block


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    for made in MADE:
        made.cache_clear()
    yield
    for made in MADE:
        made.cache_clear()


@pytest.mark.parametrize("made", MADE)
def test_tables_are_the_same_when_the_precision_is_changed_now_and_then(made, monkeypatch) -> None:
    right = np.array(made())
    made.cache_clear()
    monkeypatch.setattr(float_functions, "precision", disturbed(2))
    assert np.array_equal(np.array(made()), right)


@pytest.mark.parametrize("made", MADE)
def test_no_table_is_kept_when_the_precision_never_suffices(made, monkeypatch) -> None:
    right = np.array(made())
    made.cache_clear()
    monkeypatch.setattr(float_functions, "precision", disturbed(1))
    with pytest.raises(UndecidedError, match="precision"):
        made()
    monkeypatch.undo()
    assert np.array_equal(np.array(made()), right)


def test_tables_of_rectangles_are_not_made_at_another_precision(monkeypatch) -> None:
    scale = Fraction(1234567, 1001)
    monkeypatch.setattr(fast_threshold, "precision", disturbed(1))
    with pytest.raises(UndecidedError, match="precision"):
        discrete_laplace(scale, 10, SeededEntropy(1))
    monkeypatch.setattr(fast_threshold, "precision", disturbed(3))
    found = discrete_laplace(scale, 10, SeededEntropy(1))
    monkeypatch.undo()
    fast_discrete._exponential_sampler.cache_clear()
    assert np.array_equal(found, discrete_laplace(scale, 10, SeededEntropy(1)))


@pytest.mark.parametrize("scale", [Fraction(1, 1000), Fraction(7, 3), Fraction(2**40)])
def test_without_other_threads_every_bracket_is_as_narrow_as_the_tables_ask_for(scale: Fraction) -> None:
    assert discrete_laplace(scale, 1, SeededEntropy(1)).shape == (1,)
