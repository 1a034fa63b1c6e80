"""Conformance of the traceable Algorithms 2 and 3 with the specification's repaired lines, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.experiments.sketched_window import SketchedWindow
from dpmatrix.spec.sliding_window.sketched_stream import REPAIRED, SketchedStream, history


def exact(matrix: fmpq_mat) -> np.ndarray:
    values = [[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in matrix.tolist()]
    return np.array(values, dtype=object)


@pytest.mark.parametrize("window", [2, 3, 5])
def test_it_is_the_repaired_algorithm(window: int) -> None:
    rows = fmpq_mat(7, 2, [fmpq(k * k - 5 * k, 3) for k in range(14)])
    coins = fmpq_mat(7, 3, [fmpq(7 * k % 11 - 5, 2) for k in range(21)])
    base = fmpq_mat(3, 2, [1, 2, 3, 5, 8, 13])
    deleted = ((3, 2),) if window > 2 else ()
    expected = history(SketchedStream(rows, base, coins, fmpq(3, 2), window, deleted), REPAIRED)

    def superfluous(held):
        return tuple(s for t, s in deleted if t == held[-1].stamp)

    run = SketchedWindow(Fraction(3, 2) * exact(base), window, superfluous)
    for time, held in enumerate(expected, start=1):
        run = run.add(exact(rows)[time - 1], exact(coins)[time - 1])
        assert [pair.stamp for pair in run.held] == [pair.stamp for pair in held]
        for mine, theirs in zip(run.held, held, strict=True):
            assert (mine.sketch == exact(theirs.sketch)).all()
        assert run.output is run.held[0].sketch


def test_it_refuses_what_does_not_fit() -> None:
    base = np.ones((2, 3))
    for bad in (np.ones(3), np.ones((0, 2))):
        with pytest.raises(InvalidParameterError):
            SketchedWindow(bad, 4)
    with pytest.raises(InvalidParameterError):
        SketchedWindow(base, 1)
    run = SketchedWindow(base, 4)
    for row, coin in product((np.ones(3), np.ones(2)), repeat=2):
        if (row.shape, coin.shape) != ((3,), (2,)):
            with pytest.raises(InvalidParameterError):
                run.add(row, coin)
    with pytest.raises(InvalidParameterError):
        _ = run.output
    with pytest.raises(InvalidParameterError):
        SketchedWindow(base, 4, lambda held: (held[0].stamp,)).add(np.ones(3), np.ones(2))
    with pytest.raises(NotPrivateError):
        run.publish()
