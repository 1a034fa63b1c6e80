"""The mechanisms by name: what is built, how much noise is wasted, and what is computed from a release."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    CoupledTracesMechanism,
    GaussianOrthogonal,
    KNormMechanism,
    LaplaceInputPerturbation,
    ModSulq,
    Ppca,
    Release,
    SequentialPpca,
    StaircaseMechanism,
    SymmetrisedWishartMechanism,
)
from dpmatrix.mechanisms.menu import (
    DIRECTIONS,
    MATRICES,
    REFUTED,
    Settings,
    build,
    claims_of,
    components,
    excess,
    excess_words,
    variances,
)
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

BOTH = list(Adjacency)
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
DELTA = Fraction(1, 100)
KINDS = {
    "gaussian": AnalyzeGauss,
    "gaussian-orthogonal": GaussianOrthogonal,
    "mod-sulq": ModSulq,
    "laplace": LaplaceInputPerturbation,
    "symmetrised-wishart": SymmetrisedWishartMechanism,
    "coupled-traces": CoupledTracesMechanism,
    "k-norm": KNormMechanism,
    "staircase": StaircaseMechanism,
    "ppca": Ppca,
    "sequential-ppca": SequentialPpca,
}
CLAIMS = {
    "gaussian": ("analyze-gauss.algorithm-1+repair",),
    "gaussian-orthogonal": ("beyond.gaussian-orthogonal",),
    "mod-sulq": ("near-optimal.algorithm-1+repair", "near-optimal.theorem-5"),
    "laplace": ("wishart.algorithm-1+repair", "wishart.theorem-3"),
    "symmetrised-wishart": ("wishart.theorem-4+repair",),
    "coupled-traces": (
        "beyond.coupled-traces-privacy",
        "beyond.coupled-traces-sampler",
        "beyond.coupled-traces-noise",
    ),
    "k-norm": ("beyond.k-norm-privacy", "beyond.k-norm-sampler"),
    "staircase": ("beyond.staircase-privacy", "beyond.staircase-noise"),
    "ppca": ("near-optimal.algorithm-2+repair", "near-optimal.theorem-6"),
    "sequential-ppca": ("near-optimal.theorem-6",),
}
LEAST = ("symmetrised-wishart", "coupled-traces", "k-norm", "staircase")
PRINTED = [name for name in KINDS if name not in (*LEAST, "gaussian-orthogonal")]
every_name = pytest.mark.parametrize("name", KINDS)
DATA = np.array([[0.5, -0.5, 0.125], [0.25, 0.5, -0.75]])


def delta_of(name: str) -> Fraction:
    return DELTA if name in {"gaussian", "gaussian-orthogonal", "mod-sulq"} else Fraction(0)


def settings(name: str, calibration: str = "tight", adjacency: Adjacency = REPLACE, **more: Any) -> Settings:
    public = {"epsilon": Fraction(1, 2), "adjacency": adjacency, "norm_bound": Fraction(3, 2), "over_norm": "reject"}
    given = {"delta": delta_of(name), "public": public} | more
    return Settings(mechanism=name, calibration=calibration, **given)


def test_the_names() -> None:
    assert {**MATRICES, **DIRECTIONS} == KINDS
    assert list(DIRECTIONS) == ["ppca", "sequential-ppca"]
    assert REFUTED == {"wishart": ("wishart.theorem-4", "symmetrised-wishart")}


@every_name
@pytest.mark.parametrize("adjacency", BOTH)
def test_what_is_built_has_the_parameters_that_were_passed(name: str, adjacency: Adjacency) -> None:
    for calibration in ("tight", "printed") if name in PRINTED else ("tight",):
        mechanism: Any = build(settings(name, calibration, adjacency, divisor=7, rank=2))
        assert type(mechanism) is KINDS[name]
        assert (mechanism.epsilon, mechanism.adjacency) == (Fraction(1, 2), adjacency)
        assert (mechanism.norm_bound, mechanism.over_norm) == (Fraction(3, 2), "reject")
        assert mechanism.guarantee.delta == delta_of(name)
        assert getattr(mechanism, "calibration", "tight") == calibration
        assert (mechanism.rank if name in DIRECTIONS else mechanism.divisor) == (2 if name in DIRECTIONS else 7)
        assert claims_of(mechanism) == CLAIMS[name]


def test_a_matrix_is_asked_for_without_a_rank() -> None:
    for name in MATRICES:
        made: Any = build(settings(name))
        assert made.divisor is None
    for name in ("ppca", "sequential-ppca", "none"):
        with pytest.raises(InvalidParameterError) as caught:
            build(settings(name))
        assert str(caught.value) == (
            f"mechanism: {name!r} is no choice; pass one of gaussian, gaussian-orthogonal, mod-sulq, laplace, "
            "symmetrised-wishart, coupled-traces, k-norm, staircase"
        )
    with pytest.raises(InvalidParameterError, match=r"coupled-traces, k-norm, staircase, ppca, sequential-ppca$"):
        build(settings("none", rank=1))


def test_what_the_menu_refuses() -> None:
    with pytest.raises(NotPrivateError, match=r"wishart\.theorem-4 is refuted; choose 'symmetrised-wishart'"):
        build(settings("wishart"))
    for calibration in ("printed", "loose"):
        with pytest.raises(InvalidParameterError, match=r"^calibration: .*wishart.theorem-4.*calibration='tight'"):
            build(settings("symmetrised-wishart", calibration))
        for name in ("coupled-traces", "k-norm", "staircase", "gaussian-orthogonal"):
            with pytest.raises(InvalidParameterError, match=r"^calibration: .*no document prints one.*'tight'"):
                build(settings(name, calibration))
    for name in ("laplace", *LEAST, "ppca", "sequential-ppca"):
        with pytest.raises(
            InvalidParameterError, match=r"^delta: 1/100 would be wasted.*gaussian, gaussian-orthogonal, mod-sulq$"
        ):
            build(settings(name, rank=1, delta=DELTA))
        with pytest.raises(InvalidParameterError, match=r"^delta: "):
            build(settings(name, rank=1, delta="0"))
    for name in ("gaussian", "gaussian-orthogonal", "mod-sulq"):
        with pytest.raises(InvalidParameterError, match=r"^delta: "):
            build(settings(name, delta=Fraction(0)))


def test_settings_are_passed_by_name() -> None:
    assert (settings("laplace").divisor, settings("laplace").rank) == (None, None)
    assert type(build(settings("laplace"))) is LaplaceInputPerturbation
    with pytest.raises(TypeError):
        Settings("laplace", "tight", Fraction(0), {})


@every_name
@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_excess_is_the_noise_over_the_least(name: str, adjacency: Adjacency, dimension: int) -> None:
    """A standard deviation, a scale, or one over the weight of the score."""
    tight: Any = build(settings(name, "tight", adjacency, rank=1))
    assert excess(tight, dimension) == 1
    assert excess_words(tight, dimension) is None
    if name not in PRINTED:
        return
    printed: Any = build(settings(name, "printed", adjacency, rank=1))
    if name == "laplace":
        expected = printed.noise_scale(dimension) / tight.noise_scale(dimension)
    elif name in DIRECTIONS:
        expected = 1 if adjacency is REPLACE and dimension > 1 else 2
    else:
        expected = math.sqrt(printed.noise_variance(dimension) / tight.noise_variance(dimension))
    assert excess(printed, dimension) == pytest.approx(float(expected), rel=1e-12)
    words = (
        f"the printed noise of {printed.name} is {float(expected):.3g} times what its guarantee needs at "
        f"d = {dimension}; calibration='tight' adds the least [{', '.join(CLAIMS[name])}]"
    )
    assert excess_words(printed, dimension) == (words if expected > 1 else None)


@every_name
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_components_are_orthonormal_rows_whose_largest_coordinate_is_positive(name: str, rank: int, seed: int) -> None:
    """Of a matrix they are its eigenvectors in falling order; drawn directions stay what they are, up to the sign."""
    mechanism = build(settings(name, rank=rank))
    release = mechanism.release(DATA, entropy=SeededEntropy(seed))
    rows = components(mechanism, release, rank)
    assert rows.shape == (rank, 3)
    assert rows.flags["C_CONTIGUOUS"]
    assert np.allclose(rows @ rows.T, np.eye(rank), atol=1e-9)
    assert all(row[np.abs(row).argmax()] > 0 for row in rows)
    matrix = release.to_numpy()
    if name in MATRICES:
        values, vectors = np.linalg.eigh(matrix)
        assert np.allclose(np.abs(np.einsum("ij,ji->i", rows, vectors[:, ::-1][:, :rank])), 1, atol=1e-9)
        found = variances(mechanism, release)
        assert found is not None
        assert np.allclose(found, np.maximum(values[::-1], 0), rtol=1e-12)
        assert (found[:-1] >= found[1:]).all()
        assert (found >= 0).all()
    else:
        assert variances(mechanism, release) is None
        if name == "sequential-ppca" or rank == 1:
            assert np.array_equal(np.abs(rows), np.abs(matrix.T))
        else:
            assert np.allclose(rows.T @ rows, matrix, atol=1e-9)


def test_negative_eigenvalues_are_no_variances_and_the_first_largest_coordinate_decides() -> None:
    release = Release(
        integers=np.array([[-3, 0, 0], [0, 5, -5], [0, -5, 5]], dtype=object),
        grid=Fraction(1, 2),
        guarantee=None,
        mechanism="none",
        adjacency=REPLACE,
        entropy="none",
    )
    mechanism = build(settings("laplace"))
    assert np.allclose(variances(mechanism, release), [5, 0, 0], atol=1e-12)
    first = components(mechanism, release, 1)
    assert np.allclose(np.abs(first), [[0, math.sqrt(0.5), math.sqrt(0.5)]])
    assert first[0, 1] * first[0, 2] < 0
