"""What ``mechanism="auto"`` takes: the least error that public numbers give, under the guarantee that was asked for."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.exact import precision
from dpmatrix.mechanisms import (
    CoupledTracesMechanism,
    GaussianOrthogonal,
    KNormMechanism,
    LaplaceInputPerturbation,
    Ppca,
    StaircaseMechanism,
    SymmetrisedWishartMechanism,
    choice,
)
from dpmatrix.mechanisms.choice import AUTO, COMPARED, Choice, resolve, stand_in
from dpmatrix.mechanisms.gaussian import GaussianPerturbation
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES, Settings, build
from dpmatrix.mechanisms.noise_moments import k_norm_moments
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.mechanisms.wishart_noise import public_grid
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
PURE = ("laplace", "symmetrised-wishart", "coupled-traces", "k-norm", "staircase")
HARDLY = {"staircase": "whose error is not smaller than that of k-norm by 1 %"}
SMALL = Fraction(1, 10**6)


def settings(name: str = AUTO, adjacency: Adjacency = REPLACE, delta: Any = 0, **more: Any) -> Settings:
    public = {"epsilon": Fraction(1), "adjacency": adjacency, "norm_bound": Fraction(1), "over_norm": "clip"}
    public |= {key: more.pop(key) for key in tuple(more) if key in public}
    return Settings(mechanism=name, calibration=more.pop("calibration", "tight"), delta=delta, public=public, **more)


def chosen(dimension: int, **asked: Any) -> tuple[Any, Choice]:
    mechanism, found = resolve(settings(**asked), dimension)
    assert found is not None
    return mechanism, found


def by_definition(name: str, asked: Settings, dimension: int) -> float:
    """Return the squared error over the norm bound to the fourth, in floating point, of the mechanism by name."""
    bound = asked.public["norm_bound"]
    bits = SymmetrisedWishartMechanism(1, norm_bound=bound).coordinate_bits
    more = {} if name in PURE[1:] else {"coordinate_bits": bits}
    delta = asked.delta if name in ("gaussian", "gaussian-orthogonal", "mod-sulq") else 0
    mechanism: Any = build(attrs.evolve(asked, mechanism=name, delta=delta, public={**asked.public, **more}))
    unit = bound**4
    match mechanism:
        case RoundedPerturbation():
            return float(mechanism.mean_squared_error(dimension, 1) / unit)
        case GaussianOrthogonal():
            return float(mechanism.mean_squared_error(dimension, 1) / unit)
        case GaussianPerturbation():
            return dimension**2 * float(mechanism.noise_variance(dimension) / 16**bits / unit)
    return 2 * dimension**2 * float(mechanism.noise_scale(dimension) ** 2 / 16**bits / unit)


@limits(max_examples=60, deadline=None)
@given(
    epsilon=st.fractions(min_value=Fraction(1, 50), max_value=20, max_denominator=50),
    delta=st.sampled_from([Fraction(0), SMALL, Fraction(1, 1000), Fraction(1, 3)]),
    adjacency=st.sampled_from(Adjacency),
    norm_bound=st.sampled_from([Fraction(1), Fraction(2, 7), Fraction(64), Fraction(1, 2**30), Fraction(2**60)]),
    dimension=st.integers(1, 12),
)
def test_the_error_is_the_least_and_the_guarantee_is_kept(
    epsilon: Fraction, delta: Fraction, adjacency: Adjacency, norm_bound: Fraction, dimension: int
) -> None:
    asked = settings(delta=delta, adjacency=adjacency, epsilon=epsilon, norm_bound=norm_bound)
    mechanism, found = resolve(asked, dimension)
    assert found is not None
    kept = mechanism.guarantee
    assert (kept.epsilon, kept.adjacency) == (epsilon, adjacency)
    assert kept.delta == (delta if found.mechanism in ("gaussian", "gaussian-orthogonal", "mod-sulq") else 0)
    assert (mechanism.norm_bound, mechanism.over_norm) == (norm_bound, "clip")
    assert type(mechanism) is MATRICES[found.mechanism]
    assert (found.delta, found.dimension) == (delta, dimension)
    assert {*found.squared_errors, *found.left_out} == {
        *PURE,
        *(("gaussian", "gaussian-orthogonal", "mod-sulq") if delta else ()),
    }
    assert not {*found.squared_errors} & {*found.left_out}
    assert found.squared_errors[found.mechanism] == min(found.squared_errors.values())
    for name, error in found.squared_errors.items():
        own = by_definition(name, asked, dimension)
        # The noise of steps may be as small as some thousand grids.
        assert own * (1 - 1e-9) <= error <= own * (1 + (1e-2 if name == "staircase" else 1e-5)), name


def test_what_is_chosen() -> None:
    """K-norm noise up to seven columns; then each relation has its own, and Gaussian noise where d is large."""
    for d, (adjacency, other) in itertools.product(
        (2, 5, 7, 8, 30), ((REPLACE, "coupled-traces"), (ADD, "symmetrised-wishart"))
    ):
        assert chosen(d, adjacency=adjacency)[1].mechanism == ("k-norm" if d < 8 else other)
    assert chosen(30, delta=SMALL)[1].mechanism == "gaussian-orthogonal"
    assert chosen(8, delta=SMALL)[1].mechanism == "coupled-traces"
    for d, adjacency in itertools.product((2, 3, 9, 30), Adjacency):
        errors = chosen(d, adjacency=adjacency, delta=SMALL)[1].squared_errors
        least = min(("gaussian", "gaussian-orthogonal", "mod-sulq"), key=errors.__getitem__)
        assert least == "gaussian-orthogonal"
    assert chosen(1)[1].mechanism == "staircase"
    assert chosen(1, epsilon=Fraction(1, 10))[1].mechanism == "laplace"
    kinds = (
        (7, 0, KNormMechanism),
        (8, 0, CoupledTracesMechanism),
        (30, SMALL, GaussianOrthogonal),
        (1, 0, StaircaseMechanism),
    )
    for d, delta, kind in kinds:
        assert type(chosen(d, delta=delta)[0]) is kind


def test_the_number_of_records_and_what_is_done_with_long_ones_have_no_part() -> None:
    for adjacency in Adjacency:
        for d in (3, 40):
            found = {
                str(chosen(d, adjacency=adjacency, delta=SMALL, divisor=divisor, over_norm=over, rank=rank)[1])
                for divisor in (None, 1, 10**9)
                for over in ("clip", "reject")
                for rank in (None, 2)
            }
            assert len(found) == 1
    mechanism, _ = chosen(30, delta=SMALL, divisor=7, over_norm="reject")
    assert (mechanism.divisor, mechanism.over_norm) == (7, "reject")


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("delta", [0, SMALL])
@pytest.mark.parametrize("bound", [Fraction(1), Fraction(64), Fraction(1, 2**40), Fraction(10) ** 9])
def test_every_candidate_cuts_records_alike(
    monkeypatch: pytest.MonkeyPatch, adjacency: Adjacency, delta: Any, bound: Fraction
) -> None:
    """Noise on a lattice too coarse for the bound would be small, and what is published of no use."""
    asked = settings(adjacency=adjacency, delta=delta, norm_bound=bound)
    bits = SymmetrisedWishartMechanism(1, norm_bound=bound).coordinate_bits
    assert stand_in(asked).coordinate_bits == bits
    assert not isinstance(stand_in(asked), RoundedPerturbation), "it refuses no dimension"
    compared: list[Any] = []

    def size(mechanism: Any, *rest: Any) -> Any:
        compared.append(mechanism)
        return noise_size(mechanism, *rest)

    monkeypatch.setattr(choice, "noise_size", size)
    resolve(asked, 3)
    assert [type(one) for one in compared] == [
        kind for name, kind in MATRICES.items() if delta or name not in ("gaussian", "gaussian-orthogonal", "mod-sulq")
    ]
    assert {one.coordinate_bits for one in compared} == {bits}
    assert {one.norm_bound for one in compared} == {bound}


def test_a_tiny_bound_does_not_make_coarse_noise_look_small() -> None:
    """With 16 digits after the point a record of norm 2^-30 is zero, and so would be the sensitivity."""
    bound = Fraction(1, 2**30)
    coarse = LaplaceInputPerturbation(1, norm_bound=bound)
    fine = chosen(1, norm_bound=bound)[0]
    record = np.array([[float(bound)]])
    assert not coarse.release(record, entropy=SeededEntropy(1)).to_numpy().any()
    assert fine.release(record, entropy=SeededEntropy(1)).to_numpy().any()
    assert chosen(1, norm_bound=bound)[1].squared_errors == chosen(1)[1].squared_errors


@pytest.mark.parametrize("adjacency", Adjacency)
def test_rounding_is_in_the_error_of_what_is_rounded(adjacency: Adjacency) -> None:
    """The root is that of the noise's own mean square, and d/2 times the grid, but for its last bits."""
    for name, d in itertools.product(("symmetrised-wishart", "coupled-traces", "k-norm"), (1, 3, 7)):
        _, found = chosen(d, adjacency=adjacency, epsilon=Fraction(1, 3))
        mechanism: Any = build(settings(name, adjacency, epsilon=Fraction(1, 3)))
        square = mechanism.mean_squared_error(d, 1)
        grid = public_grid(mechanism.noise_scale(d, 1), d)
        root = math.isqrt(int(square * 4**100)) / Fraction(2**100)
        expected = (root + Fraction(d, 2) * grid) ** 2
        assert expected <= found.squared_errors[name] <= expected * (1 + Fraction(1, 2**90))


def test_errors_are_computed_with_128_bits() -> None:
    with precision(128):
        root = noise_size(build(settings("coupled-traces")), 11, 1, Fraction(1))
        laplace = noise_size(LaplaceInputPerturbation(1, coordinate_bits=20), 11, 1, Fraction(1, 4**20))
    assert root is not None
    assert laplace is not None
    _, found = chosen(11)
    rounding = Fraction(11, 2) * public_grid(Fraction(1), 11)
    assert found.squared_errors["coupled-traces"] == (root.frobenius + rounding) ** 2
    assert found.squared_errors["laplace"] == laplace.frobenius**2


def test_what_asks_and_what_is_compared() -> None:
    assert (AUTO, choice.MOST_PAIRS) == ("auto", 300)
    assert chosen(2)[1].record()["compared"] == COMPARED
    assert COMPARED == (
        "expected squared Frobenius error of X'X about that of the truncated records, over the norm bound to the 4th"
    )


def test_errors_do_not_depend_on_the_precision_around() -> None:
    found = []
    for bits in (20, 53, 300):
        with precision(bits):
            found.append(chosen(5, delta=SMALL)[1])
    assert found[0] == found[1] == found[2]


def test_where_k_norm_noise_is_left_out() -> None:
    for adjacency, pairs in ((REPLACE, "1,463"), (ADD, "1,336")):
        assert chosen(7, adjacency=adjacency)[1].left_out == HARDLY
        many, wide = f"which would draw {pairs} pairs on average", "which takes at most 8 columns"
        assert chosen(8, adjacency=adjacency)[1].left_out == {"k-norm": many, "staircase": many}
        assert chosen(9, adjacency=adjacency)[1].left_out == {"k-norm": wide, "staircase": wide}
        assert 1 / k_norm_moments(7, replaces=adjacency is REPLACE).accepted < choice.MOST_PAIRS


def test_just_as_many_pairs_as_are_allowed_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = 1 / k_norm_moments(4, replaces=True).accepted
    monkeypatch.setattr(choice, "MOST_PAIRS", pairs)
    assert chosen(4)[1].left_out == HARDLY
    monkeypatch.setattr(choice, "MOST_PAIRS", pairs - SMALL)
    many = "which would draw 5 pairs on average"
    assert chosen(4)[1].left_out == {"k-norm": many, "staircase": many}


def test_steps_are_left_out_where_they_gain_less_than_a_hundredth_or_epsilon_is_too_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for d, epsilon, gains in ((2, 1, False), (2, 2, True), (3, 2, False), (3, 5, True), (7, 20, True)):
        for adjacency in Adjacency:
            mechanism, found = chosen(d, adjacency=adjacency, epsilon=Fraction(epsilon))
            assert found.mechanism == ("staircase" if gains else "k-norm")
            assert type(mechanism) is MATRICES[found.mechanism]
            assert (found.delta, found.dimension) == (0, d)
            assert found.left_out == ({} if gains else HARDLY)
    with pytest.raises(InvalidParameterError, match=r"^epsilon: "):
        chosen(2, epsilon=float("nan"))
    below = {"staircase": "which takes an epsilon from 1/8 to 30"}
    assert chosen(2, epsilon=Fraction(1, 9))[1].left_out == below
    assert chosen(2, epsilon=Fraction(1, 8))[1].left_out == HARDLY
    assert chosen(2, epsilon=Fraction(30))[1].left_out == {}
    assert chosen(2, epsilon=Fraction(31))[1].left_out == below
    assert chosen(9, epsilon=Fraction(1, 9))[1].left_out == {"k-norm": "which takes at most 8 columns"} | below
    errors = {name: chosen(2, epsilon=Fraction(2))[1].squared_errors[name] for name in ("k-norm", "staircase")}
    share = 1 - errors["staircase"] / errors["k-norm"]
    for least, mechanism in ((share, "staircase"), (share + SMALL, "k-norm")):
        monkeypatch.setattr(choice, "LEAST_GAIN", least)
        assert chosen(2, epsilon=Fraction(2))[1].mechanism == mechanism


@pytest.mark.parametrize("how", [stand_in, lambda asked: resolve(asked, 3)])
def test_what_is_refused(how: Any) -> None:
    for delta in (0, SMALL):
        with pytest.raises(InvalidParameterError, match=r"^calibration: 'printed' .*pass calibration='tight', or name"):
            how(settings(delta=delta, calibration="printed"))
    for delta in (-SMALL, 1, Fraction(3, 2)):
        with pytest.raises(InvalidParameterError, match=r"^delta: .*outside \(0, 1\)"):
            how(settings(delta=delta))
    with pytest.raises(InvalidParameterError, match=r"^delta: "):
        how(settings(delta="1/10"))
    for name, value in (("epsilon", 0), ("norm_bound", -1), ("over_norm", "keep"), ("adjacency", "none")):
        with pytest.raises(InvalidParameterError):
            how(settings(**{name: value}))  # type: ignore[arg-type] # adjacency is no relation
    with pytest.raises(InvalidParameterError, match=r"^divisor: "):
        how(settings(divisor=0))
    with pytest.raises(InvalidParameterError, match=r"^mechanism: 'best' is no choice"):
        how(settings("best"))
    with pytest.raises(NotPrivateError):
        how(settings("wishart"))


def test_a_mechanism_that_is_named_is_built_as_it_is() -> None:
    for name in (*MATRICES, *DIRECTIONS):
        delta = SMALL if name in ("gaussian", "gaussian-orthogonal", "mod-sulq") else 0
        asked = settings(name, delta=delta, rank=2, divisor=3)
        assert resolve(asked, 30 if name != "k-norm" else 3) == (build(asked), None)
        assert stand_in(asked) == build(asked)
    assert resolve(settings("k-norm"), 30) == (KNormMechanism(1), None), "refused by the mechanism, where it releases"


def test_directions_are_no_candidates() -> None:
    for k in (1, 2):
        assert not {*chosen(4, rank=k, delta=SMALL)[1].squared_errors} & {*DIRECTIONS}


def test_a_tie_goes_to_the_first_of_the_menu(monkeypatch: pytest.MonkeyPatch) -> None:
    size = SimpleNamespace(frobenius=Fraction(2))
    monkeypatch.setattr(choice, "noise_size", lambda *_: size)
    monkeypatch.setattr(choice, "public_grid", lambda *_: Fraction(0))
    for delta, first in ((0, "laplace"), (SMALL, "gaussian")):
        _, found = chosen(3, delta=delta, norm_bound=Fraction(1, 2))
        assert found.mechanism == first
        assert set(found.squared_errors.values()) == {64}, "four, over the bound to the fourth"


def test_noise_of_no_known_size_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "MATRICES", {"ppca": lambda **_: Ppca(1, rank=1)})
    monkeypatch.setattr(choice, "build", lambda asked: Ppca(1, rank=1) if asked.mechanism == "ppca" else build(asked))
    with pytest.raises(TypeError, match="no size of the noise of PPCA"):
        resolve(settings(), 3)


def test_what_is_written_of_a_choice() -> None:
    errors = {"laplace": Fraction(4), "k-norm": Fraction(10, 3), "gaussian": Fraction(2, 3) * 10**8}
    found = Choice("k-norm", Fraction(1, 3), 5, errors, {"mod-sulq": "which is like another"})
    assert found.record() == {
        "asked": "auto",
        "delta": "1/3",
        "compared": COMPARED,
        "squared_errors": {"laplace": "4", "k-norm": "3.33334", "gaussian": "6.66667E+7"},
        "left_out": {"mod-sulq": "which is like another"},
    }
    assert found.words() == (
        f"k-norm was chosen for d = 5. The {COMPARED}: k-norm 3.334, laplace 4, gaussian 6.667E+7; "
        "without mod-sulq, which is like another."
    )
    none = Choice("laplace", Fraction(0), 1, {"laplace": Fraction(1)}, {})
    assert none.words() == f"laplace was chosen for d = 1. The {COMPARED}: laplace 1."


def test_errors_of_any_size_are_written() -> None:
    """Numbers that no float holds, large and small."""
    for epsilon, ends in ((Fraction(1, 10**400), "E+801"), (Fraction(10) ** 400, "E-799")):
        shown: Any = chosen(3, epsilon=epsilon)[1].record()["squared_errors"]
        assert shown["coupled-traces"].endswith(ends)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_what_turns_directions_is_the_least_as_well(adjacency: Adjacency) -> None:
    """A multiple of the identity turns none: what is left is the mean square less that of the trace over d."""
    for d in (2, 3, 5, 7, 8, 10, 20, 30, 100):
        left: dict[str, Fraction] = {}
        _, found = chosen(d, adjacency=adjacency, delta=SMALL)
        for name in found.squared_errors:
            mechanism: Any = build(
                settings(name, adjacency, SMALL if name in ("gaussian", "gaussian-orthogonal", "mod-sulq") else 0)
            )
            if isinstance(mechanism, RoundedPerturbation):
                moments = mechanism.moments(d)
                left[name] = (moments.frobenius - moments.trace / d) * mechanism.noise_scale(d, 1) ** 2
            elif isinstance(mechanism, GaussianOrthogonal):
                moments = mechanism.moments(d)
                left[name] = found.squared_errors[name] * (1 - moments.trace / d / moments.frobenius)
            else:
                left[name] = found.squared_errors[name] * Fraction(d * d - 1, d * d)
        assert min(left, key=left.__getitem__) == found.mechanism
