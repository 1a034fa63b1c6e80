"""Public parameters, blocks, calibration and losses of mechanisms on the lattice, recomputed from their docstrings."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import LaplaceInputPerturbation, ModSulq, Sulq
from dpmatrix.mechanisms.lattice import LatticeGram, lattice_gram
from dpmatrix.mechanisms.lattice_perturbation import LatticePerturbation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy

BOTH = list(Adjacency)
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
DATA = np.array([[0.5, -0.25], [0.3, 0.7], [-0.125, 0.1]])
NEIGHBOUR = np.array([[0.5, -0.25], [0.3, 0.7], [0.5, 0.5]])
LAPLACE = LaplaceInputPerturbation


def made(kind: Any, *arguments: Any, **more: Any) -> LatticePerturbation:
    return kind(*arguments, **({} if kind is LAPLACE else {"delta": Fraction(1, 50)}), **more)


KINDS = [LAPLACE, ModSulq, Sulq]
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_the_defaults(kind: Any) -> None:
    mechanism = made(kind, 1)
    assert (mechanism.adjacency, mechanism.norm_bound, mechanism.over_norm) == (REPLACE, 1, "clip")
    assert (mechanism.divisor, mechanism.coordinate_bits, mechanism.calibration) == (None, 20, "tight")
    assert mechanism.guarantee.epsilon == 1


@every_kind
@pytest.mark.parametrize("bits", [0, 1, 20, 512])
def test_the_grid_is_one_over_the_divisor_and_the_square_of_the_digits(kind: Any, bits: int) -> None:
    """The divisor is the number of records where neighbours share it, else one; or the one that is passed."""
    for adjacency, count in product(BOTH, (1, 2, 7)):
        mechanism = made(kind, 1, adjacency, coordinate_bits=bits)
        divisor = count if adjacency is REPLACE else 1
        assert mechanism.divisor_for(range(count)) == divisor
        assert mechanism.grid_for(range(count)) == Fraction(1, divisor * 4**bits)
        fixed = made(kind, 1, adjacency, coordinate_bits=bits, divisor=5)
        assert (fixed.divisor_for(range(count)), fixed.grid_for(range(count))) == (5, Fraction(1, 5 * 4**bits))


@every_kind
def test_a_bound_at_the_ends_of_its_range_is_taken(kind: Any) -> None:
    least, largest = Fraction(1, 2**400), Fraction(2**400)
    for bound in (least, largest, 1.5):
        assert made(kind, 1, norm_bound=bound).norm_bound == Fraction(bound)
    for wrong in (least * Fraction(99, 100), largest + 1, 0, -1):
        with pytest.raises(InvalidParameterError, match=r"norm_bound: .* is out of range"):
            made(kind, 1, norm_bound=wrong)


@every_kind
def test_choices_and_counts_are_refused_by_name(kind: Any) -> None:
    for right in ("tight", "printed"):
        assert made(kind, 1, calibration=right, over_norm="reject", divisor=2).guarantee.epsilon == 1
    for wrong in ("loose", "", None):
        with pytest.raises(InvalidParameterError, match=r"^calibration: .*; pass one of \('tight', 'printed'\)"):
            made(kind, 1, calibration=wrong)
        with pytest.raises(InvalidParameterError, match=r"^over_norm: .*; pass one of \('reject', 'clip'\)"):
            made(kind, 1, over_norm=wrong)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(InvalidParameterError, match=r"^divisor: "):
            made(kind, 1, divisor=wrong)
    for wrong in (-1, 513, True, 2.0):
        with pytest.raises(InvalidParameterError, match=r"^coordinate_bits: "):
            made(kind, 1, coordinate_bits=wrong)


def test_a_row_is_counted_from_the_first_row_of_all_blocks() -> None:
    mechanism = LAPLACE(1)
    spoiled = np.array([[0.5, 0.5], [0.5, np.nan]])
    for first in (0, 10):
        with pytest.raises(InvalidParameterError, match=f"data: row {first + 1} holds NaN"):
            list(mechanism.read_blocks(spoiled, first))
    with pytest.raises(InvalidParameterError, match="data: row 4 holds NaN"):
        mechanism.release_blocks([DATA, spoiled], 2)
    with pytest.raises(InvalidParameterError, match="data: row 1 holds NaN"):
        mechanism.release(spoiled)


@every_kind
def test_the_data_set_that_is_at_fault_is_named(kind: Any) -> None:
    mechanism = made(kind, 1)
    good, bad = [[0.5, 0.5]], [[0.5, np.nan]]
    for pair, name in (((bad, good), "data"), ((good, bad), "neighbour"), ((good, DATA), "neighbour")):
        for loss in (mechanism.log_density_ratio, mechanism.log_mass_ratio):
            with pytest.raises(InvalidParameterError, match=f"^{name}: "):
                loss(*pair, [[1, 0], [0, 1]])


@pytest.mark.parametrize("dimension", [1, 2, 3, 6, 20])
@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize(("bound", "bits"), [(Fraction(1), 0), (Fraction(2, 3), 5), (Fraction(7), 20)])
def test_laplace_noise_is_the_sensitivity_over_epsilon_rounded_up_in_its_thirty_second_digit(
    dimension: int, adjacency: Adjacency, bound: Fraction, bits: int
) -> None:
    for epsilon in (Fraction(1, 7), Fraction(3)):
        unit = bound**2 * 4**bits / epsilon
        odd = dimension % 2
        square = Fraction((dimension + 2) ** 2 + dimension**2 - odd, 4)
        if adjacency is ADD or dimension == 1:
            square = Fraction(dimension + 1, 2) ** 2
        with mpmath.workdps(100):
            scaled = square * unit**2 * 4**32
            units = int(mpmath.ceil(mpmath.sqrt(mpmath.mpf(scaled.numerator) / scaled.denominator)))
        if (root := Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))) ** 2 == square:
            units = math.ceil(root * unit * 2**32)
        parameters = {"norm_bound": bound, "coordinate_bits": bits}
        assert LAPLACE(epsilon, adjacency, **parameters).noise_scale(dimension) == Fraction(units, 2**32)
        printed = LAPLACE(epsilon, adjacency, "printed", **parameters)
        assert printed.noise_scale(dimension) == 2 * dimension * unit


@every_kind
def test_the_claims_that_are_implemented(kind: Any) -> None:
    expected = {
        LAPLACE: ["wishart.algorithm-1+repair", "wishart.theorem-3"],
        ModSulq: ["near-optimal.algorithm-1+repair", "near-optimal.theorem-5"],
        Sulq: ["near-optimal.sulq+repair"],
    }
    mechanism = made(kind, 1)
    assert mechanism.grid_for(DATA) > 0
    assert mechanism.noise_scale(2) > 0 if kind is LAPLACE else mechanism.noise_variance(2) > 0
    assert [citation.target for citation in Implementation.of(type(mechanism)).citations] == expected[kind]


@every_kind
def test_the_places_of_the_noise_are_counted(kind: Any) -> None:
    mechanism = made(kind, 1)
    for dimension in (1, 2, 5):
        every = list(product(range(dimension), repeat=2))
        expected = every if kind is Sulq else [(i, j) for i, j in every if i <= j]
        rows, columns = mechanism.places(dimension)
        assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == expected
        assert mechanism.count_of_places(dimension) == len(expected)


@every_kind
@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize(
    "data", [DATA, DATA[:1], DATA[:0], DATA[:, :1], np.zeros((2, 3))], ids=["three", "one", "none", "d = 1", "zeros"]
)
def test_a_release_is_the_matrix_of_the_truncated_records_plus_the_noise_of_its_bits(
    kind: Any, adjacency: Adjacency, data: np.ndarray
) -> None:
    mechanism = made(kind, 1, adjacency, coordinate_bits=6)
    if not len(data) and adjacency is REPLACE:
        for call in (mechanism.release, lambda data: mechanism.release_blocks([data], 2)):
            with pytest.raises(InvalidParameterError, match=r"empty|no record"):
                call(data)
        return
    dimension = data.shape[1]
    expected = lattice_gram(data, 6)
    noise = mechanism.integer_noise(dimension)(mechanism.count_of_places(dimension), SeededEntropy(3))
    for row, column, one in zip(*mechanism.places(dimension), noise.tolist(), strict=True):
        expected[row, column] += one
        if kind is not Sulq:
            expected[column, row] = expected[row, column]
    release = mechanism.release(data, entropy=SeededEntropy(3))
    assert release.integers.tolist() == expected.tolist()
    assert (release.grid, release.mechanism, release.adjacency) == (mechanism.grid_for(data), kind.name, adjacency)
    assert (release.guarantee, release.entropy) == (None, "seed 3")
    for blocks in ([data], [data[1:], data[:0], data[:1]], [mechanism.partial_gram([data], dimension)]):
        assert mechanism.release_blocks(blocks, dimension, entropy=SeededEntropy(3)) == release


@every_kind
def test_bits_come_from_the_system_unless_a_source_is_passed(kind: Any) -> None:
    """At d = 12 and b = 20 two releases of the system's bits agree with a probability below 10^-50."""
    mechanism, data = made(kind, 1), np.full((2, 12), 0.125)
    own = [mechanism.release(data), mechanism.release_blocks([data], 12), mechanism.release(data, entropy=None)]
    assert all(one.guarantee == mechanism.guarantee for one in own)
    assert all(one.entropy == SystemEntropy.description for one in own)
    assert len({str(one.integers.tolist()) for one in own}) == 3


@every_kind
@pytest.mark.parametrize("adjacency", BOTH)
def test_a_simulation_is_the_second_moment_plus_float_noise(kind: Any, adjacency: Adjacency) -> None:
    mechanism = made(kind, 1, adjacency, coordinate_bits=3)
    found = mechanism.simulate(DATA, 4, np.random.default_rng(5))
    rows, columns = mechanism.places(2)
    noise = mechanism.float_noise(2, (4, len(rows)), np.random.default_rng(5)) * float(mechanism.grid_for(DATA))
    expected = np.zeros((4, 2, 2))
    for number, (row, column) in enumerate(zip(rows, columns, strict=True)):
        expected[:, row, column] = noise[:, number]
        if kind is not Sulq:
            expected[:, column, row] = noise[:, number]
    expected += DATA.T @ DATA / (3 if adjacency is REPLACE else 1)
    assert found.shape == (4, 2, 2)
    assert np.allclose(found, expected, rtol=1e-13, atol=1e-13)


@every_kind
@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize(
    "output",
    [[[0, 0], [0, 0]], [[3, -2], [-2, 40]], [[Fraction(1, 3), 1], [1, 2]]],
    ids=["zero", "integers", "fractions"],
)
def test_losses_are_differences_of_surprisals(kind: Any, adjacency: Adjacency, output: list[list[Any]]) -> None:
    """Of the continuous output about X'X / divisor, and of the integers about those of the truncated records."""
    mechanism = made(kind, Fraction(1, 2), adjacency, coordinate_bits=3)
    second = NEIGHBOUR if adjacency is REPLACE else DATA[:2]
    places = list(zip(*(place.tolist() for place in mechanism.places(2)), strict=True))

    def surprisal(change: Fraction) -> Fraction:
        if kind is LAPLACE:
            return abs(change) / mechanism.noise_scale(2)
        return change**2 / (2 * mechanism.noise_variance(2))

    def loss(point: list[list[Fraction]], centres: list[list[list[Fraction]]]) -> Fraction:
        about = [sum(surprisal(point[i][j] - centre[i][j]) for i, j in places) for centre in centres]
        return about[1] - about[0]

    def moment(records: np.ndarray) -> list[list[Fraction]]:
        rows = [[Fraction(entry) for entry in row] for row in records.tolist()]
        return [[sum(row[i] * row[j] for row in rows) * 4**3 for j in range(2)] for i in range(2)]

    divisor = 3 if adjacency is REPLACE else 1
    point = [[Fraction(entry) * divisor * 4**3 for entry in row] for row in output]
    exact = np.array(output, dtype=object)
    found = mechanism.log_density_ratio(DATA, second, exact)
    assert float(found) == pytest.approx(float(loss(point, [moment(DATA), moment(second)])), rel=1e-12)
    if output[0][0] != Fraction(1, 3):
        centres = [[[Fraction(entry) for entry in row] for row in lattice_gram(one, 3)] for one in (DATA, second)]
        assert mechanism.log_mass_ratio(DATA, second, exact) == loss(
            [[Fraction(x) for x in y] for y in output], centres
        )
    else:
        with pytest.raises(InvalidParameterError, match="integers: an entry is not an integer"):
            mechanism.log_mass_ratio(DATA, second, exact)


def test_every_record_that_is_added_is_counted() -> None:
    gram = LatticeGram(2, 4)
    for block, count in ((DATA, 3), (DATA[:0], 3), (DATA[:2], 5), (DATA, 8)):
        gram.add(block)
        assert gram.count == count
    gram.add_read(DATA[:1])
    assert (gram.count, gram.merge(gram).count) == (9, 18)


def test_up_to_512_digits_are_kept() -> None:
    """The least number of that many digits is not lost, and one more is asked for in vain."""
    assert lattice_gram([[2.0**-512]], 512).tolist() == [[1]]
    assert lattice_gram([[2.0**-511]], 511).tolist() == [[1]]
    assert LatticeGram(1, 512).coordinate_bits == 512
    with pytest.raises(InvalidParameterError, match=r"coordinate_bits: 513 is out of range; pass an integer in \[0, 5"):
        lattice_gram([[0.5]], 513)


def test_what_is_no_array_of_records_is_named() -> None:
    gram = LatticeGram(1, 4)
    for wrong in ([0.5], [[[0.5]]], np.zeros((3, 0)), [["a"]]):
        with pytest.raises(InvalidParameterError, match=r"^records: "):
            lattice_gram(wrong, 4)
        with pytest.raises(InvalidParameterError, match=r"^block: "):
            gram.add(wrong)


@every_kind
def test_a_point_of_another_form_is_refused_by_its_name(kind: Any) -> None:
    mechanism = made(kind, 1)
    wrong: list[Any] = [[[1]], [1, 2, 3, 4], [[1, 2], [2, np.nan]], [[1j, 0], [0, 1]]]
    if kind is not Sulq:
        wrong.append([[1, 2], [3, 4]])
    for point in wrong:
        with pytest.raises(InvalidParameterError, match=r"^output: "):
            mechanism.log_density_ratio(DATA, NEIGHBOUR, point)
        with pytest.raises(InvalidParameterError, match=r"^integers: "):
            mechanism.log_mass_ratio(DATA, NEIGHBOUR, point)
