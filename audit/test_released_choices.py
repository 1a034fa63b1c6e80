"""What ``mechanism="auto"`` releases with: held against errors that are computed from moments of other sources.

Nothing is statistical. The controls are parameters on the other side of each limit.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from audit.released import laws
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import KNormMechanism, StaircaseMechanism
from dpmatrix.mechanisms.choice import AUTO, COMPARED, Choice, resolve, stand_in
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES, Settings, build, components, variances
from dpmatrix.mechanisms.noise_moments import k_norm_moments
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
PURE = ("laplace", "symmetrised-wishart", "coupled-traces", "k-norm", "staircase")
GAUSSIAN = ("gaussian", "gaussian-orthogonal", "mod-sulq")
HARDLY = "whose error is not smaller than that of k-norm by 1 %"


def asked(name: str = AUTO, adjacency: Adjacency = REPLACE, delta: Any = 0, **public: Any) -> Settings:
    given = {"epsilon": Fraction(1), "adjacency": adjacency, "norm_bound": Fraction(1), "over_norm": "clip"} | public
    return Settings(mechanism=name, calibration="tight", delta=delta, public=given)


def chosen(dimension: int, **more: Any) -> tuple[Any, Choice]:
    mechanism, found = resolve(asked(**more), dimension)
    assert found is not None
    return mechanism, found


def moments(name: str, d: int, epsilon: float, adjacency: Adjacency) -> float | None:
    """Write mean squares out for those mechanisms of which a closed form is known."""
    replaces = adjacency is REPLACE
    if name == "laplace":
        change = {REPLACE: {1: 1.0, 2: 2.0}, ADD: {1: 1.0, 2: 1.5}}[adjacency].get(d)
        return None if change is None else 2 * d * d * (change / epsilon) ** 2
    if name == "symmetrised-wishart":
        return d * (d + 1) ** 2 * (2.0 if replaces and d > 1 else 0.5) / epsilon**2
    if name == "coupled-traces":
        k = d * (d + 1)
        return 2 * (d + 1) * k * k * (k + 1) / ((k + 2) * (k + 4)) / epsilon**2
    size = d * (d + 1) // 2
    smooth = float(k_norm_moments(d, replaces=replaces).frobenius)
    if name == "k-norm":
        return smooth / epsilon**2
    return smooth * laws.stair_square(size, epsilon, laws.best_width(size, epsilon)) / (size * (size + 1))


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
@pytest.mark.parametrize(
    ("d", "epsilon"), [(1, 0.5), (1, 4.0), (2, 1.0), (2, 3.0), (3, 2.0), (3, 6.0), (5, 0.25), (5, 12.0), (7, 1.0)]
)
def test_errors_are_those_of_the_noise(d: int, epsilon: float, adjacency: Adjacency) -> None:
    for bound in (Fraction(1), Fraction(3)):
        mechanism, found = chosen(d, adjacency=adjacency, epsilon=Fraction(epsilon), norm_bound=bound)
        assert (found.delta, found.dimension) == (0, d)
        assert {*found.squared_errors, *found.left_out} == {*PURE}
        for name, error in found.squared_errors.items():
            expected = moments(name, d, epsilon, adjacency)
            if expected is not None and name != "laplace":
                assert float(error) == pytest.approx(expected, rel=1e-4), name
        assert found.mechanism == min(found.squared_errors, key=found.squared_errors.__getitem__)
        assert type(mechanism) is MATRICES[found.mechanism]
        assert (mechanism.epsilon, mechanism.norm_bound, mechanism.adjacency) == (epsilon, bound, adjacency)


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_steps_are_taken_where_they_gain_a_hundredth(d: int, adjacency: Adjacency) -> None:
    """At epsilons on either side of the limit, whose quotients of mean squares are computed elsewhere."""
    size, sides = d * (d + 1) // 2, set()
    for epsilon in (Fraction(k, 16) for k in range(4, 160, 3)):
        width = laws.best_width(size, float(epsilon))
        quotient = laws.stair_square(size, float(epsilon), width) * float(epsilon) ** 2 / (size * (size + 1))
        if abs(quotient - 0.99) < 2e-5 or abs(quotient - 0.99) > 3e-2:
            continue
        mechanism, found = chosen(d, adjacency=adjacency, epsilon=epsilon)
        assert found.left_out == ({} if quotient < 0.99 else {"staircase": HARDLY})
        assert (type(mechanism) is StaircaseMechanism) == (quotient < 0.99)
        sides.add(quotient < 0.99)
    assert sides == {False, True}, "control"


def test_limits_of_epsilon_and_of_columns() -> None:
    limits = {"staircase": "which takes an epsilon from 1/8 to 30"}
    tiny = Fraction(1, 10**9)
    for epsilon, left in (
        (Fraction(1, 8) - tiny, limits),
        (Fraction(1, 8), {"staircase": HARDLY}),
        (Fraction(30), {}),
        (30 + tiny, limits),
    ):
        assert chosen(2, epsilon=epsilon)[1].left_out == left
    wide = "which takes at most 8 columns"
    assert chosen(9, epsilon=Fraction(8))[1].left_out == {"k-norm": wide, "staircase": wide}
    assert chosen(9, epsilon=tiny)[1].left_out == {"k-norm": wide} | limits
    assert chosen(8, epsilon=Fraction(8))[1].left_out.keys() == {"k-norm", "staircase"}
    with pytest.raises(InvalidParameterError, match=r"^epsilon: "):
        chosen(2, epsilon=float("nan"))
    assert stand_in(asked()).coordinate_bits == 20
    assert stand_in(asked("k-norm")) == KNormMechanism(1)


def test_with_a_delta_all_are_compared_and_cut_alike() -> None:
    small = Fraction(1, 10**6)
    for d, adjacency in product((3, 30), (REPLACE, ADD)):
        mechanism, found = chosen(d, adjacency=adjacency, delta=small)
        assert {*found.squared_errors, *found.left_out} == {*PURE, *GAUSSIAN}
        assert found.delta == small
        assert mechanism.guarantee.delta == (small if found.mechanism in GAUSSIAN else 0)
        for name in GAUSSIAN:
            made: Any = build(asked(name, adjacency, small, coordinate_bits=20))
            if name == "gaussian-orthogonal":
                noise = float(made.mean_squared_error(d, 1))
            else:
                noise = d * d * float(made.noise_variance(d) / 16**20)
            assert float(found.squared_errors[name]) == pytest.approx(noise, rel=1e-6)
    assert chosen(30, delta=small)[0].coordinate_bits == 20


def test_a_choice_says_what_it_compared() -> None:
    errors = {"laplace": Fraction(4), "k-norm": Fraction(10, 3)}
    found = Choice("k-norm", Fraction(0), 5, errors, {"staircase": "which is like another"})
    assert found.words() == (
        f"k-norm was chosen for d = 5. The {COMPARED}: k-norm 3.334, laplace 4; "
        "without staircase, which is like another."
    )
    assert found.record() == {
        "asked": "auto",
        "delta": "0",
        "compared": COMPARED,
        "squared_errors": {"laplace": "4", "k-norm": "3.33334"},
        "left_out": {"staircase": "which is like another"},
    }


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_components_and_variances_are_those_of_the_release(adjacency: Adjacency) -> None:
    data = np.random.default_rng(3).uniform(-0.5, 0.5, (40, 3))
    for name in (*PURE, "ppca", "sequential-ppca"):
        for rank in (1, 2):
            settings = Settings(
                mechanism=name, calibration="tight", delta=0, public=dict(asked("k-norm", adjacency).public), rank=rank
            )
            mechanism: Any = build(settings)
            assert type(mechanism) is ({**MATRICES, **DIRECTIONS}[name])
            release = mechanism.release(data, entropy=SeededEntropy(5))
            found = components(mechanism, release, rank)
            assert found.shape == (rank, 3)
            assert found @ found.T == pytest.approx(np.eye(rank), abs=1e-5)
            spread = variances(mechanism, release)
            if name in DIRECTIONS:
                assert spread is None
                drawn = release.to_numpy()
                space = drawn if drawn.shape == (3, 3) else drawn @ np.linalg.pinv(drawn)
                assert space @ found.T == pytest.approx(found.T, abs=1e-4), "in the span of what was drawn"
                continue
            values, vectors = np.linalg.eigh(release.to_numpy())
            assert spread == pytest.approx(np.maximum(values[::-1], 0))
            assert abs(np.sum(vectors[:, ::-1][:, :rank].T * found, axis=1)) == pytest.approx(np.ones(rank), abs=1e-6)
    with pytest.raises(InvalidParameterError, match=r"^mechanism: 'ppca' is no choice"):
        build(asked("ppca"))
