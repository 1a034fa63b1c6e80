"""Chi-square, Wishart and product matrices: their laws, and their floats against their balls."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat
from scipy.stats import chi2

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_rectangles
from dpmatrix.randomness.decisions import nearest_multiples, round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyExponentials, LazyNormals
from dpmatrix.randomness.lazy_entries import LazyMultiples, LazyUpperTriangle
from dpmatrix.randomness.lazy_matrices import LazyChiSquares, LazyProduct, LazySum, LazyWishart


def wishart(seed, dimension=4, degrees=6, scale=Fraction(2, 7)):
    return LazyWishart(dimension, degrees, scale, SeededEntropy(seed))


def product(seed, rows=3, terms=70, columns=4):
    data = np.random.default_rng(seed).standard_normal((terms, columns))
    return LazyProduct(LazyNormals((rows, terms), SeededEntropy(seed)), data)


def total(seed):
    fixed = fmpq_mat([[j - 3 * i for j in range(4)] for i in range(4)]) / 7
    return LazySum(fixed, (wishart(seed),), (wishart(seed + 1, degrees=4), wishart(seed + 2, scale=Fraction(5))))


def known(seed):
    integers = np.random.default_rng(seed).integers(-(2**62), 2**62, (3, 3))
    integers[0, 0] = 2**53 + 1
    return LazyMultiples(integers.astype(object) * 2**9 if seed % 2 else integers, Fraction(3, 7) / 2**62)


def upper(seed):
    return LazyUpperTriangle(LazySum(known(seed), (wishart(seed, dimension=3),)))


@pytest.mark.parametrize(
    "make", [wishart, product, total, known, upper, lambda seed: LazyChiSquares((1, 2, 3, 8, 51), SeededEntropy(seed))]
)
def test_floats_and_balls_enclose_the_same_reals(make):
    for seed in range(20):
        reals = make(seed)
        size = int(np.prod(reals.shape))
        balls = reals.approximate()
        reals.refine(200, range(size))
        with precision(240):
            for ball, center, radius in zip(
                reals.enclose(range(size)), balls.center.ravel().tolist(), balls.radius.ravel().tolist(), strict=True
            ):
                assert abs(ball - center) < radius
        assert np.median(balls.radius) < 1e-12
        # Entries may be asked for in any order and repeatedly.
        chosen = [size - 1, 0, size // 2, 0]
        whole = [str(ball) for ball in reals.enclose(range(size))]
        assert [str(ball) for ball in reals.enclose(chosen)] == [whole[index] for index in chosen]


@pytest.mark.parametrize("make", [wishart, product, total, known, upper])
@pytest.mark.parametrize("exponent", [-20, -45, -80])
def test_filter_and_balls_round_alike_on_the_same_digits(make, exponent):
    grid = Fraction(2) ** exponent
    for seed in range(5):
        reals = make(seed)
        multiples, decided = nearest_multiples(reals.approximate(), grid)
        exact = round_to_grid(reals, grid, filtered=False)
        assert (multiples[decided] == exact[decided]).all()
        assert (round_to_grid(reals, grid) == exact).all()


@pytest.mark.parametrize("degree", [1, 2, 3, 6, 7])
def test_chi_squares_follow_their_law(cdf_radius, cdf_distance, degree):
    # The control's law has one degree more; at 7 it is 0.11 away and the radius is 0.025.
    draws = LazyChiSquares((degree,) * 20_000, SeededEntropy(degree)).approximate().center
    assert cdf_distance(draws, chi2(degree).cdf) <= cdf_radius(draws.size)
    assert cdf_distance(draws, chi2(degree + 1).cdf) > cdf_radius(draws.size)


@pytest.mark.parametrize(("degrees", "accepted"), [(5, True), (6, False)])
def test_wishart_matrices_have_chi_square_forms_and_schur_complements(cdf_radius, cdf_distance, degrees, accepted):
    # u'Wu / c has m degrees of freedom, and 1 / (c u'W^-1 u) has m - d + 1, for every unit vector u.
    entropy, count = SeededEntropy(degrees), 5_000
    draws = np.array([LazyWishart(3, degrees, Fraction(1, 2), entropy).approximate().center for _ in range(count)])
    for direction in np.array([[1.0, 0, 0], [0, 0.6, 0.8], [0.6, 0, -0.8]]):
        forms = 2 * np.einsum("nij,i,j->n", draws, direction, direction)
        inverse_forms = np.einsum("nij,i,j->n", np.linalg.inv(draws), direction, direction)
        assert (cdf_distance(forms, chi2(5).cdf) <= cdf_radius(count)) is accepted
        assert (cdf_distance(2 / inverse_forms, chi2(3).cdf) <= cdf_radius(count)) is accepted


@pytest.mark.parametrize(("degrees", "accepted"), [(5, True), (6, False)])
def test_wishart_determinant_is_a_product_of_chi_squares(cdf_radius, degrees, accepted):
    # Two samples of one law are within the sum of their radii; with one degree more the determinant about doubles.
    entropy, count, generator = SeededEntropy(77), 4000, np.random.default_rng(78)
    draws = np.array([LazyWishart(3, degrees, Fraction(1), entropy).approximate().center for _ in range(count)])
    products = np.prod([generator.chisquare(k, count) for k in (5, 4, 3)], axis=0)
    determinants = np.sort(np.linalg.det(draws))
    reached = np.abs(np.searchsorted(np.sort(products), determinants) - np.arange(count)).max() / count
    assert bool(reached <= 2 * cdf_radius(count) + 1 / count) is accepted


def test_product_is_normal_with_the_gram_matrix_of_the_data():
    data = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]])
    draws = LazyProduct(LazyNormals((100_000, 3), SeededEntropy(3)), data).approximate().center
    # Laurent and Massart: the mean square of m normals is within 2 sqrt(t / m) + 2 t / m, t = 25, error 2 exp(-25).
    bound = 2 * np.sqrt(25 / 100_000) + 50 / 100_000
    for direction in np.array([[1.0, 0], [0, 1.0], [0.6, 0.8]]):
        variance = direction @ data.T @ data @ direction
        mean = np.mean((draws @ direction) ** 2)
        assert abs(mean / variance - 1) <= bound
        assert abs(mean / (1.1 * variance) - 1) > bound


@pytest.mark.parametrize("degrees", [(0,), (2, -1), (1.5,)])
def test_degrees_must_be_positive_integers(degrees):
    with pytest.raises(InvalidParameterError, match="degrees"):
        LazyChiSquares(degrees, SeededEntropy(0))


def test_wishart_refuses_bad_parameters():
    for arguments, name in (
        ((0, 1, 1), "dimension"),
        ((3, 2, 1), "degrees"),
        ((3, 3, 0), "scale"),
        ((1, 1, -1), "scale"),
    ):
        with pytest.raises(InvalidParameterError, match=name):
            LazyWishart(*arguments, SeededEntropy(0))


@pytest.mark.parametrize("data", [np.zeros(3), np.zeros((4, 2)), np.full((3, 2), np.nan), np.full((3, 2), np.inf)])
def test_products_refuse_bad_data(data):
    with pytest.raises(InvalidParameterError, match="data"):
        LazyProduct(LazyNormals((2, 3), SeededEntropy(0)), data)


def test_products_keep_their_data():
    data = np.ones((3, 1))
    lazy = LazyProduct(LazyNormals((1, 3), SeededEntropy(4)), data)
    before = round_to_grid(lazy, Fraction(1, 8))
    data[:] = 5
    assert (round_to_grid(lazy, Fraction(1, 8), filtered=False) == before).all()


def test_the_upper_triangle_is_that_of_the_matrix():
    for seed in range(4):
        matrix = LazySum(known(seed), (wishart(seed, dimension=3),))
        expected = round_to_grid(matrix, Fraction(1, 2**30))
        triangle = LazyUpperTriangle(LazySum(known(seed), (wishart(seed, dimension=3),)))
        assert round_to_grid(triangle, Fraction(1, 2**30)).tolist() == expected[triangle.places].tolist()


def test_sums_need_one_shape():
    with pytest.raises(InvalidParameterError, match="added"):
        LazySum(fmpq_mat(2, 2), (wishart(0),))


def test_a_child_of_the_process_rounds_nothing(monkeypatch):
    reals = total(1)
    monkeypatch.setattr(fast_rectangles, "process_identity", lambda: (0, 99))
    with pytest.raises(EntropyError, match="forked"):
        round_to_grid(reals, Fraction(1))


def by_definition(degrees, entropy):
    """Compute chi-square variates from the next digits of a source: exponentials first, in order, and then normals."""
    halves, odd = [degree // 2 for degree in degrees], [degree % 2 for degree in degrees]
    exponentials = LazyExponentials((sum(halves),), entropy).approximate().center
    normals = LazyNormals((sum(odd),), entropy).approximate().center
    sums = [2 * exponentials[sum(halves[:k]) : sum(halves[: k + 1])].sum() for k in range(len(degrees))]
    return np.array([sums[k] + odd[k] * (normals[sum(odd[:k])] if odd[k] else 0) ** 2 for k in range(len(degrees))])


@pytest.mark.parametrize("degrees", [(1,), (2,), (3, 1, 4, 2, 5), (6, 1, 1, 3), (51, 8)])
def test_chi_squares_are_made_of_the_digits_in_their_order(degrees):
    entropy, same = SeededEntropy(9), SeededEntropy(9)
    found = LazyChiSquares(degrees, entropy)
    assert found.approximate().center == pytest.approx(by_definition(degrees, same), rel=1e-12)
    assert entropy.bits(64) == same.bits(64), "no digit is left over"


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(2), Fraction(2, 7)])
@pytest.mark.parametrize(("dimension", "degrees"), [(1, 1), (2, 2), (3, 4), (4, 9)])
def test_wishart_matrices_are_made_of_the_digits_in_their_order(scale, dimension, degrees):
    """Bartlett's decomposition from the same source: squares of the diagonal, then what is below it, row by row."""
    entropy, same = SeededEntropy(4), SeededEntropy(4)
    found = LazyWishart(dimension, degrees, scale, entropy)
    factor = np.diag(np.sqrt(by_definition(tuple(degrees - row for row in range(dimension)), same)))
    size = dimension * (dimension - 1) // 2
    factor[np.tril_indices(dimension, -1)] = LazyNormals((size,), same).approximate().center
    matrix = float(scale) * factor @ factor.T
    assert found.approximate().center == pytest.approx(matrix, rel=1e-11, abs=1e-12)
    assert entropy.bits(64) == same.bits(64), "no digit is left over"
    with precision(200):
        found.refine(150, range(dimension**2))
        diagonal = sum((found.enclose([i * dimension + i])[0] for i in range(dimension)), arb(0))
        assert found.trace().overlaps(diagonal)
        assert not (found.trace() * fmpq(10**9 + 1, 10**9)).overlaps(diagonal)


def test_degrees_below_the_dimension_are_refused_as_such():
    with pytest.raises(InvalidParameterError, match=r"^degrees: 2 is below 3; pass at least the dimension$"):
        LazyWishart(3, 2, Fraction(1), SeededEntropy(0))


def test_products_take_their_data_for_floats():
    lazy = LazyProduct(LazyNormals((2, 3), SeededEntropy(5)), np.array([[1], [2], [3]]))
    assert lazy.data.dtype == np.float64
