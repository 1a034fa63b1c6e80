"""The figure of pure noise: its lines, their order, and the numbers of the mechanisms."""

from __future__ import annotations

import pytest

from dpmatrix.experiments import pure_noise
from dpmatrix.experiments.pure_noise import BOUND, KINDS, LIMIT, pure_noise_figure
from dpmatrix.mechanisms import SymmetrisedWishartMechanism, least_squared_error
from dpmatrix.privacy import Adjacency


def test_a_line_for_each_noise_and_relation() -> None:
    told: list[tuple[int, int]] = []
    found = pure_noise_figure(lambda done, total: told.append((done, total)), dimensions=tuple(range(1, 10)))
    assert told == [(done, 18) for done in range(1, 19)]
    assert found.columns == ("relation", "d", *KINDS, BOUND, LIMIT, "epsilon")
    assert len(found.rows) == 18
    assert [(line.panel, line.label, len(line.places)) for line in found.series] == [
        (panel, name, 8 if name in ("k-norm", "staircase") else 9)
        for panel in ("a record replaced", "a record added or removed")
        for name in (*KINDS, BOUND, LIMIT)
    ]
    for row in found.rows:
        cells = dict(zip(found.columns, row, strict=True))
        assert (cells["k-norm"] is None) == (cells["staircase"] is None) == (cells["d"] == 9)
        # The limit is over epsilon squared, as those of all noise but that of steps are.
        mechanisms = [cells[name] for name in KINDS if cells[name] is not None and name != "staircase"]
        assert cells[BOUND] < cells[LIMIT] <= min(mechanisms) * (1 + 1e-12)


def test_numbers_are_those_of_the_mechanism_and_of_the_bound() -> None:
    found = pure_noise_figure(lambda _done, _total: None, dimensions=(1, 2, 3))
    for row, (adjacency, dimension) in zip(
        found.rows, ((a, d) for a in (Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE) for d in (1, 2, 3)), strict=True
    ):
        cells = dict(zip(found.columns, row, strict=True))
        error = SymmetrisedWishartMechanism(1, adjacency).mean_squared_error(dimension, 1)
        assert cells["symmetrised-wishart"] == pytest.approx(float(error), rel=1e-12)
        assert cells[BOUND] == float(least_squared_error(1, dimension, adjacency))
    assert pure_noise.bound_as_epsilon_vanishes(3, Adjacency.ADD_REMOVE_ONE) == pytest.approx(9)
