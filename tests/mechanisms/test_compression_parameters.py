"""Defaults, constants, sources of bits and refusals of Gaussian compression, as its docstrings state them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import GaussianCompression, TruncatedCompression
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy

KNOWN = "compression.corollary-3-7"
SQUARED_C = 2 * (4 * math.e / math.sqrt(6 * math.pi) + math.e * math.sqrt(8))
PLAIN = GaussianCompression(6, acknowledge=KNOWN)


def truncated(rows: int, size: int = 2, **more: Any) -> TruncatedCompression:
    return TruncatedCompression(rows, **{"reference": np.eye(size), "delta_max": 0, "acknowledge": KNOWN} | more)


def orthogonal(records: int, size: int) -> np.ndarray:
    """Columns of signs that are nearly uncorrelated, so that a draw lies in the box around the identity."""
    return np.random.default_rng(1).choice([-1.0, 1.0], (records, size))


def test_the_defaults() -> None:
    assert (PLAIN.grid, PLAIN.name, PLAIN.guarantee) == (Fraction(1, 2**24), "Gaussian compression", None)
    assert PLAIN.release(np.eye(6)).grid == Fraction(1, 2**24)
    assert truncated(1).attempts == 64


def test_all_parameters_but_the_rows_are_passed_by_name() -> None:
    assert PLAIN.read(np.eye(6)).shape == (6, 6)
    for wrong in ((6, Fraction(1, 2)), (6, Fraction(1, 2), KNOWN)):
        with pytest.raises(TypeError, match="positional"):
            GaussianCompression(*wrong)
    for named in ("reference", "delta_max", "attempts", "grid", "acknowledge"):
        assert attrs.fields_dict(TruncatedCompression)[named].kw_only


def test_the_claims_that_are_implemented() -> None:
    claims = [citation.target for citation in Implementation.of(type(truncated(1))).citations]
    assert claims == ["compression.procedure-4-1+repair", "compression.procedure-4-2"]


@pytest.mark.parametrize("mechanism", [PLAIN, truncated(140)])
def test_bits_come_from_the_system_unless_a_source_is_passed(mechanism: GaussianCompression) -> None:
    """Two releases of the system's bits agree with a probability below 10^-50."""
    data = orthogonal(150, 2)
    seeded = [mechanism.release(data, entropy=SeededEntropy(seed)) for seed in (1, 1, 2)]
    own = [mechanism.release(data), mechanism.release(data, entropy=SystemEntropy())]
    assert [one.entropy for one in (*seeded, *own)] == ["seed 1", "seed 1", "seed 2", *[SystemEntropy.description] * 2]
    assert seeded[0] == seeded[1]
    distinct = (*seeded[1:], *own, mechanism.release(data))
    assert len({str(one.integers.tolist()) for one in distinct}) == 5


@pytest.mark.parametrize("column", [0, 1, 2])
def test_the_column_that_is_zero_is_named(column: int) -> None:
    data = np.ones((8, 3))
    data[:, column] = 0
    for call in (PLAIN.release, lambda data: PLAIN.simulate(data, 1, np.random.default_rng(0))):
        with pytest.raises(InvalidParameterError, match=f"data: column {column} is zero"):
            call(data)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("records", [1, 7, 1000])
@pytest.mark.parametrize("rows", [1, 3, 200])
@pytest.mark.parametrize("delta_max", [0, Fraction(1, 3), 2])
def test_the_box_has_the_stated_half_width(size: int, records: int, rows: int, delta_max: Fraction) -> None:
    mechanism = truncated(rows, size, delta_max=delta_max)
    square = SQUARED_C * math.log(2 * records * size) / rows
    assert float(mechanism.squared_tail(records)) == pytest.approx(square, rel=1e-13)
    assert float(mechanism.radius(records)) == pytest.approx(math.sqrt(square) + float(delta_max), rel=1e-13)


@pytest.mark.parametrize(("records", "size"), [(150, 1), (150, 2), (400, 3)])
def test_too_few_rows_are_refused_with_the_least_number(records: int, size: int) -> None:
    least = math.ceil(SQUARED_C * math.log(2 * records * size))
    data = orthogonal(records, size)
    for rows in (1, least - 1):
        with pytest.raises(
            InvalidParameterError, match=rf"rows: {rows} are too few for Lemma 4.4; pass {least} or more"
        ):
            truncated(rows, size).read(data)
    assert np.array_equal(truncated(least, size).read(data), data)


def test_a_reference_of_another_size_is_refused() -> None:
    for size in (1, 3):
        with pytest.raises(InvalidParameterError, match=f"data: 2 columns for a reference of size {size}"):
            truncated(145, size).read(orthogonal(150, 2))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reference": 1.0}, "reference"),
        ({"reference": [1.0]}, "reference"),
        ({"reference": np.ones((2, 1))}, "reference"),
        ({"reference": np.ones((1, 1, 1))}, "reference"),
        ({"delta_max": "0"}, "delta_max"),
        ({"delta_max": float("nan")}, "delta_max"),
    ],
)
def test_a_box_that_is_none_is_refused_by_name(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=rf"^{words}: "):
        truncated(3, **changes)


@pytest.mark.parametrize("mechanism", [PLAIN, truncated(140)])
def test_simulations_are_floats_of_the_shape_of_releases(mechanism: GaussianCompression) -> None:
    found = mechanism.simulate(orthogonal(150, 2), 3, np.random.default_rng(2))
    assert (found.shape, found.dtype) == ((3, mechanism.rows, 2), np.float64)
