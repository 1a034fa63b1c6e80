"""The figure of approximate noise: its lines, and its numbers beside closed forms and drawings of an integral."""

from __future__ import annotations

import math

import pytest
from scipy.integrate import quad

from dpmatrix.experiments import approximate_noise as figure
from dpmatrix.mechanisms import CoupledTracesMechanism, KNormMechanism, SymmetrisedWishartMechanism
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.profiles import GaussianProfile


def test_a_line_for_each_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure, "EPSILONS", (0.5, 2))
    monkeypatch.setattr(figure, "DELTAS", (1e-6, 1e-3))
    monkeypatch.setattr(figure, "COLUMNS", (1, 8, 9))
    told: list[tuple[int, int]] = []
    found = figure.approximate_noise_figure(lambda done, total: told.append((done, total)))
    assert told == [(done, 7) for done in range(1, 8)]
    assert found.target == figure.TARGET == "beyond.approximate-noise"
    assert found.columns == ("panel", "epsilon or d", *figure.PURE, *figure.ONE)
    panels = ["one number, delta = 1e-06"] * 2 + ["one number, delta = 0.001"] * 2
    panels += ["X'X, epsilon = 1, delta = 1e-06"] * 3
    assert [row[0] for row in found.rows] == panels
    for row in found.rows:
        cells = dict(zip(found.columns, row, strict=True))
        values = [cells[name] for name in (*figure.PURE, *figure.ONE) if cells[name] is not None]
        assert cells[figure.BOUND] == min(float(value or 0) for value in values)
        assert len(values) == (4 if "number" in str(row[0]) else 3 if cells["epsilon or d"] == 9 else 4)
    lines = {(line.panel, line.label): line for line in found.series}
    assert len(lines) == 4 + 4 + 4
    drawn = lines["X'X, epsilon = 1, delta = 1e-06", "k-norm"]
    assert drawn.places == [1, 8]
    assert drawn.values == pytest.approx(
        [math.log10(float(KNormMechanism(1).mean_squared_error(d, 1))) for d in (1, 8)]
    )


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-3), (1, 1e-6), (4, 1e-2)])
def test_numbers_of_one_number(epsilon: float, delta: float) -> None:
    found = figure.one_number(epsilon, delta)
    assert found[figure.LAPLACE] == pytest.approx(2 / epsilon**2)
    reach = math.log(1 + (math.exp(epsilon) - 1) / (2 * delta)) / epsilon
    mass, square = (quad(lambda x, k=k: x**k * math.exp(-epsilon * x), 0, reach)[0] for k in (0, 2))
    assert found[figure.TRUNCATED] == pytest.approx(square / mass, rel=1e-6)
    tail = quad(lambda x: math.exp(-epsilon * x), reach - 1, reach)[0] / (2 * mass)
    assert tail == pytest.approx(delta, rel=1e-6), "what is cut off is delta"
    deviation = math.sqrt(found[figure.GAUSSIAN])
    guarantee = PrivacyGuarantee(epsilon, delta, Adjacency.ADD_REMOVE_ONE)
    assert meets(GaussianProfile(1, deviation * 1.0001), guarantee)
    assert not meets(GaussianProfile(1, deviation / 1.02), guarantee)


def test_numbers_of_matrices() -> None:
    found = dict(figure.matrices(2))
    assert found["symmetrised-wishart"] == pytest.approx(float(SymmetrisedWishartMechanism(1).mean_squared_error(2, 1)))
    assert found["k-norm"] == pytest.approx(109 / 7)
    assert found["k-norm"] < float(CoupledTracesMechanism(1).mean_squared_error(2, 1))
    assert set(dict(figure.matrices(20))) == {"symmetrised-wishart", figure.GAUSSIAN, figure.BOUND}
