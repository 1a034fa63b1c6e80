"""The figure of approximate noise: its lines, and its numbers beside closed forms and drawings of an integral."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy.integrate import quad

from dpmatrix.experiments import approximate_noise as figure
from dpmatrix.experiments.again import make_again
from dpmatrix.experiments.targets import TARGETS
from dpmatrix.mechanisms import CoupledTracesMechanism, GaussianOrthogonal, KNormMechanism, SymmetrisedWishartMechanism
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.profiles import GaussianProfile


def untold(_done: int, _total: int) -> None:
    """Say nothing."""


def test_a_line_for_each_noise() -> None:
    told: list[tuple[int, int]] = []
    found = figure.approximate_noise_figure(
        lambda done, total: told.append((done, total)), (1, 8, 9), (0.5, 2), (1e-6, 1e-3)
    )
    assert told == [(done, 10) for done in range(1, 11)]
    assert found.target == figure.TARGET == "beyond.approximate-noise"
    assert found.columns == ("panel", "epsilon or d", *figure.NOISES)
    replaced, added = (
        f"X'X, a record {word}, epsilon = 0.5, delta = 1e-06" for word in ("replaced", "added or removed")
    )
    panels = ["one number, delta = 1e-06"] * 2 + ["one number, delta = 0.001"] * 2 + [replaced] * 3 + [added] * 3
    assert [row[0] for row in found.rows] == panels
    for row in found.rows:
        cells = dict(zip(found.columns, row, strict=True))
        values = [cells[name] for name in figure.NOISES if cells[name] is not None]
        assert cells[figure.BOUND] == min(float(value or 0) for value in values)
        assert len(values) == (4 if "number" in str(row[0]) else 5 if cells["epsilon or d"] == 9 else 7)
    lines = {(line.panel, line.label): line for line in found.series}
    assert len(lines) == 4 + 4 + 7 + 7
    drawn = lines[added, "k-norm"]
    assert drawn.places == [1, 8]
    exact = Fraction(1, 2)
    assert drawn.values == pytest.approx(
        [
            math.log10(float(KNormMechanism(exact, adjacency=Adjacency.ADD_REMOVE_ONE).mean_squared_error(d, 1)))
            for d in (1, 8)
        ]
    )
    for panel, adjacency in ((replaced, Adjacency.REPLACE_ONE), (added, Adjacency.ADD_REMOVE_ONE)):
        mechanism = GaussianOrthogonal(exact, adjacency, delta=Fraction(1, 10**6))
        assert lines[panel, figure.ORTHOGONAL].values == pytest.approx(
            [math.log10(float(mechanism.mean_squared_error(d, 1))) for d in (1, 8, 9)]
        )


def test_the_usual_matrices_have_epsilon_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The middle one of the usual values, also where there is an even number of them or one alone."""
    asked = []

    def matrices(guarantee: PrivacyGuarantee, dimension: int) -> list[tuple[str, float]]:
        asked.append((guarantee.epsilon, guarantee.delta, guarantee.adjacency, dimension))
        return []

    monkeypatch.setattr(figure, "matrices", matrices)
    monkeypatch.setattr(figure, "one_number", lambda *_pair: {})
    relations = list(figure.RELATIONS)
    for chosen, epsilon, delta in (
        ({}, 1, Fraction(1, 10**6)),
        ({"epsilons": (0.25, 3.0), "deltas": (1e-9, 1e-4, 1e-2, 0.1)}, Fraction(1, 4), Fraction(1, 10**4)),
        ({"epsilons": (0.3,), "deltas": (1e-7,)}, Fraction(3, 10), Fraction(1, 10**7)),
    ):
        figure.approximate_noise_figure(untold, (3,), **chosen)
        assert asked == [(epsilon, delta, relation, 3) for relation in relations]
        asked.clear()


@pytest.mark.parametrize(("epsilon", "delta"), [(1e-4, 1e-100), (100, 1e-100), (100, 0.5), (1e-4, 0.5)])
def test_the_ends_of_the_ranges_have_a_figure(epsilon: float, delta: float) -> None:
    """Where no bound is found none is shown, and every line has finite places."""
    found = figure.approximate_noise_figure(untold, (2, 1000), (epsilon,), (delta,))
    assert len(found.rows) == 5
    assert all(math.isfinite(value) for line in found.series for value in line.values)
    bounded = {line.panel for line in found.series if line.label == figure.BOUND}
    assert len(bounded) == (3 if epsilon < 1 and delta < 0.1 else 0)


def test_what_the_command_takes() -> None:
    assert [one.name for one in TARGETS[figure.TARGET].takes] == ["d", "epsilons", "deltas"]
    found = make_again(figure.TARGET, d=[2], epsilons=[0.3], deltas=[1e-5])
    assert {row[0] for row in found.rows} == {
        "one number, delta = 1e-05",
        "X'X, a record replaced, epsilon = 0.3, delta = 1e-05",
        "X'X, a record added or removed, epsilon = 0.3, delta = 1e-05",
    }
    assert found.rows[0][1] == 0.3
    assert [row[1] for row in found.rows[1:]] == [2, 2]


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
    replaced = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.REPLACE_ONE)
    found = dict(figure.matrices(replaced, 2))
    assert found["symmetrised-wishart"] == pytest.approx(float(SymmetrisedWishartMechanism(1).mean_squared_error(2, 1)))
    assert found["coupled-traces"] == pytest.approx(float(CoupledTracesMechanism(1).mean_squared_error(2, 1)))
    assert found["k-norm"] == pytest.approx(109 / 7)
    assert found["k-norm"] < found["coupled-traces"]
    assert found[figure.GAUSSIAN] / found[figure.BOUND] == pytest.approx(16.1, abs=0.05)
    assert found[figure.ORTHOGONAL] / found[figure.BOUND] == pytest.approx(9.4, abs=0.05)
    assert set(dict(figure.matrices(replaced, 20))) == {*figure.NOISES[:2], *figure.NOISES[-3:]}


def test_one_column_is_one_number() -> None:
    """With one column it is normal noise for one number, of either relation."""
    for adjacency in Adjacency:
        guarantee = PrivacyGuarantee(1, Fraction(1, 10**6), adjacency)
        found = dict(figure.matrices(guarantee, 1))
        assert found[figure.ORTHOGONAL] == pytest.approx(figure.one_number(1, 1e-6)[figure.GAUSSIAN], rel=0.01)
