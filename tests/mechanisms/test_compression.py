"""Conformance of Gaussian compression and its truncation, replayed from the digits that they drew; refusals."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest
from flint import arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.errors import InvalidParameterError, NotPrivateError, RefusedError
from dpmatrix.exact import precision, rational
from dpmatrix.mechanisms import GaussianCompression, TruncatedCompression, compression
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyNormals
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.procedures import TruncationRun
from dpmatrix.spec.compression.transformation import CompressionRun

transformation = cite("compression.transformation@ea9951f2")
procedure_4_1 = cite("compression.procedure-4-1@5f90c6a5")


KNOWN = "compression.corollary-3-7"


def exact(data: np.ndarray) -> fmpq_mat:
    return fmpq_mat([[rational(x) for x in row] for row in np.asarray(data).tolist()])


@pytest.fixture
def drawn(monkeypatch) -> list[LazyNormals]:
    """Record the arrays of normal variates that a mechanism draws, in order."""
    found: list[LazyNormals] = []

    def record(shape, entropy) -> LazyNormals:
        found.append(LazyNormals(shape, entropy))
        return found[-1]

    monkeypatch.setattr(compression, "LazyNormals", record)
    return found


def digits(normals: LazyNormals) -> arb_mat:
    """Continue the digits that were drawn, and enclose the variates."""
    places = range(normals.shape[0] * normals.shape[1])
    normals.refine(200, places)
    with precision(256):
        return arb_mat(*normals.shape, normals.enclose(places))


def plain_run(drawn: list[LazyNormals], seed: int) -> CompressionRun:
    data = np.random.default_rng(seed).standard_normal((3 + seed % 5, 1 + seed % 3)) * 10.0 ** (seed % 7 - 3)
    mechanism = GaussianCompression(1 + seed % 3, grid=Fraction(1, 2 ** (seed % 40)), acknowledge=KNOWN)
    released = mechanism.release(data, entropy=SeededEntropy(seed))
    assert released.guarantee is None
    return CompressionRun(exact(data), digits(drawn[-1]), fmpz_mat(released.integers.tolist()), mechanism.grid)


@transformation.supports_repair(
    grade="statistical",
    region="20 runs replayed in balls, n <= 7, p <= 3; the law of normal variates is that of the samplers' tests",
)
def test_the_release_is_the_correctly_rounded_compression(statement, drawn) -> None:
    for seed in range(20):
        assert statement.at(plain_run(drawn, seed)) is Truth.TRUE
    run = plain_run(drawn, 4)
    zero = fmpq_mat([[0]] * run.data.nrows())
    bind_hypotheses(
        statement,
        run,
        {
            "no column is zero": attrs.evolve(run, data=zero),
            "m <= n": attrs.evolve(run, data=fmpq_mat([run.data.tolist()[0]])),
            "grid > 0": attrs.evolve(run, grid=0),
        },
    )
    assert not statement.strict


@transformation.controls(
    "+repair", grade="statistical", region="one integer off; other normal variates; another record"
)
def test_another_release_is_noticed(statement, drawn) -> None:
    run = plain_run(drawn, 26)
    wrong = fmpz_mat(run.released)
    wrong[0, 0] += 1
    assert statement.at(run) is Truth.TRUE
    assert statement.elsewhere().at(attrs.evolve(run, released=wrong)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(run, normals=run.normals * 2)) is Truth.FALSE
    other = fmpq_mat(run.data)
    other[0, 0] += 1
    assert statement.elsewhere().at(attrs.evolve(run, data=other)) is Truth.FALSE
    scaled = run.data * fmpq(3)
    assert statement.at(attrs.evolve(run, data=scaled)) is Truth.TRUE, "normalisation forgets the scale"


REFERENCE = fmpq_mat([[1, fmpq(-1, 2)], [fmpq(-1, 2), 1]])
RECORDS, ROWS = 140, 130
"""2 (C_1 + C_2) ln(4 n) = 129.04."""


def correlated_signs(differing: int) -> np.ndarray:
    """Two columns of signs that differ in some rows."""
    data = np.ones((RECORDS, 2))
    data[:differing, 1] = -1
    return data


def truncated(attempts: int, delta_max=0, rows: int = ROWS) -> TruncatedCompression:
    reference = np.array([[1, Fraction(-1, 2)], [Fraction(-1, 2), 1]], dtype=object)
    return TruncatedCompression(
        rows, reference=reference, delta_max=delta_max, attempts=attempts, acknowledge=KNOWN, grid=Fraction(1, 2**10)
    )


def truncated_run(drawn: list[LazyNormals], seed: int, differing: int, attempts: int, delta_max=0) -> TruncationRun:
    mechanism, data = truncated(attempts, delta_max), correlated_signs(differing)
    drawn.clear()
    try:
        released = fmpz_mat(mechanism.release(data, entropy=SeededEntropy(seed)).integers.tolist())
    except RefusedError:
        released = None
    made = tuple(digits(normals) for normals in drawn)
    return TruncationRun(exact(data), mechanism.grid, made, released, REFERENCE, delta_max, attempts)


@procedure_4_1.supports_repair(
    grade="statistical",
    region="n = 140, p = 2: runs with one, with several and with too many attempts, replayed in balls",
)
def test_the_first_draw_inside_the_box_is_released(statement, drawn) -> None:
    """At correlation 1/2 against -1/2 about half of the draws are kept, of nearly equal columns hardly any."""
    runs = [truncated_run(drawn, seed, 35, 6) for seed in range(4)]
    runs += [truncated_run(drawn, 1, 2, 2), truncated_run(drawn, 1, 70, 3, Fraction(1, 3))]
    for run in runs:
        assert statement.at(run) is Truth.TRUE
    counts = {len(run.attempts) for run in runs if run.released is not None}
    assert min(counts) == 1
    assert max(counts) > 1
    assert any(run.released is None for run in runs)
    run = runs[-1]
    zero = fmpq_mat([[0, 1]] * RECORDS)
    bind_hypotheses(
        statement,
        run,
        {
            "no column is zero": attrs.evolve(run, data=zero),
            "grid > 0": attrs.evolve(run, grid=0),
            "limit >= 1, an integer": attrs.evolve(run, limit=0),
        },
    )
    assert not statement.strict


@procedure_4_1.controls("+repair", grade="statistical", region="an attempt left out or added; another box")
def test_another_choice_of_the_attempt_is_noticed(statement, drawn) -> None:
    kept, refused = truncated_run(drawn, 1, 70, 3, Fraction(1, 3)), truncated_run(drawn, 1, 2, 2)
    assert statement.at(kept) is Truth.TRUE
    assert statement.elsewhere().at(attrs.evolve(kept, released=None)) is Truth.FALSE, (
        "a refusal before the last attempt"
    )
    assert statement.elsewhere().at(attrs.evolve(kept, attempts=kept.attempts * 2)) is Truth.FALSE, (
        "thrown away although inside"
    )
    assert statement.elsewhere().at(attrs.evolve(kept, attempts=kept.attempts * 2, limit=1)) is Truth.FALSE
    far = fmpq_mat([[1, -9], [-9, 1]])
    assert statement.elsewhere().at(attrs.evolve(kept, reference=far)) is Truth.FALSE, "kept although outside"
    assert statement.elsewhere().at(attrs.evolve(refused, limit=3)) is Truth.FALSE, "refused before the limit"
    assert statement.elsewhere().at(attrs.evolve(refused, delta_max=9)) is Truth.FALSE
    wrong = fmpz_mat(kept.released)
    wrong[0, 0] += 1
    assert statement.elsewhere().at(attrs.evolve(kept, released=wrong)) is Truth.FALSE


def test_the_floating_point_filter_of_the_box_encloses_the_slacks() -> None:
    mechanism = truncated(1)
    output = mechanism._draw(correlated_signs(35), SeededEntropy(3))
    slack = compression.LazyBoxSlack(output, REFERENCE, lambda: mechanism.radius(RECORDS))
    balls = slack.approximate()
    slack.refine(128, range(8))
    for value, centre, spread in zip(
        slack.enclose(range(8)), balls.center.ravel().tolist(), balls.radius.ravel().tolist(), strict=True
    ):
        assert abs(value - centre) < spread
    assert balls.radius.max() < 1e-9


def test_simulated_outputs_lie_in_the_box() -> None:
    mechanism = truncated(64)
    outputs = mechanism.simulate(correlated_signs(35), 50, np.random.default_rng(5))
    gram = np.swapaxes(outputs, 1, 2) @ outputs / ROWS
    assert (np.abs(gram - [[1, -0.5], [-0.5, 1]]) <= float(mechanism.radius(RECORDS))).all()
    with pytest.raises(RefusedError, match="64 draws"):
        mechanism.simulate(correlated_signs(2), 1, np.random.default_rng(5))


@pytest.mark.parametrize(
    ("data", "parameter"),
    [
        (np.zeros((140, 2)), "data"),
        (np.ones((140, 2)), "data"),
        (np.ones((140, 3)), "data"),
        (np.ones((129, 2)), "rows"),
        (np.eye(10**4, 2), "rows"),
        ([[1.0, float("nan")]] * 140, "data"),
        ([[1.0, 1j]] * 140, "data"),
        ([], "data"),
    ],
)
def test_data_that_the_theorem_does_not_speak_of_are_refused(data, parameter: str) -> None:
    """Zero, dependent, missing and too many columns, m > n, too few rows, NaN, complex, empty."""
    with pytest.raises(InvalidParameterError) as caught:
        truncated(1).release(data, entropy=SeededEntropy(1))
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [
        ({"rows": 0}, "rows"),
        ({"rows": 1.5}, "rows"),
        ({"grid": 0}, "grid"),
        ({"grid": float("inf")}, "grid"),
        ({"reference": [[1, 0], [1, 1]]}, "reference"),
        ({"reference": [[2, 0], [0, 1]]}, "reference"),
        ({"reference": []}, "reference"),
        ({"delta_max": -1}, "delta_max"),
        ({"attempts": 0}, "attempts"),
    ],
)
def test_public_parameters_are_checked(changes, parameter: str) -> None:
    given = {"rows": 3, "reference": [[1, 0], [0, 1]], "delta_max": 0, "acknowledge": KNOWN} | changes
    with pytest.raises(InvalidParameterError) as caught:
        TruncatedCompression(given.pop("rows"), **given)
    assert caught.value.parameter == parameter


def test_use_takes_an_acknowledgement() -> None:
    with pytest.raises(NotPrivateError, match="not differentially private"):
        GaussianCompression(3)
    with pytest.raises(NotPrivateError):
        TruncatedCompression(3, reference=[[1]], delta_max=0)


@pytest.mark.parametrize(
    ("data", "rows"),
    [(np.full((6, 1), 3.0), 2), (np.full((6, 2), 3.0), 6), ([[1.0, 2.0], [1.0, 5.0], [1.0, -1.0]], 3), ([[0.5]], 1)],
    ids=["constant", "constant, equal, m = n", "one of them constant", "n = m = p = 1"],
)
def test_constant_columns_are_normalised_like_any_other(data, rows) -> None:
    """Scaling is by the column's norm, not about its mean, so a constant column has one; equal columns stay equal."""
    released = GaussianCompression(rows, acknowledge=KNOWN).release(data, entropy=SeededEntropy(2))
    values = released.to_numpy()
    assert values.shape == (rows, np.shape(data)[1])
    assert np.abs(values).max() < 12 * np.sqrt(len(data))
    if np.shape(data) == (6, 2):
        assert (values[:, 0] == values[:, 1]).all()


def test_a_truncation_that_never_accepts_stops_after_its_attempts(drawn) -> None:
    """Signs with correlation 0.97 against a reference of -1/2."""
    for attempts in (1, 3):
        drawn.clear()
        with pytest.raises(RefusedError, match=f"none of {attempts} draws"):
            truncated(attempts).release(correlated_signs(2), entropy=SeededEntropy(4))
        assert len(drawn) == attempts
