"""Wishart matrices from normal factors: their law, their digits, and their floats against their balls."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb
from scipy.stats import chi2

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_rectangles
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyNormals
from dpmatrix.randomness.lazy_grams import StandardWisharts


@pytest.mark.parametrize(("count", "dimension", "degrees"), [(1, 1, 1), (2, 3, 4), (3, 4, 2), (2, 20, 21)])
def test_floats_and_balls_enclose_the_same_reals(count: int, dimension: int, degrees: int) -> None:
    for seed in range(5):
        parts = StandardWisharts(count, dimension, degrees, SeededEntropy(seed)).parts()
        assert len(parts) == count
        for part in parts:
            balls, entries = part.approximate(), range(dimension**2)
            assert part.shape == balls.shape == (dimension, dimension)
            part.refine(200, entries)
            with precision(240):
                exact = part.enclose(entries)
                trace = part.trace()
                some = part.enclose([dimension**2 - 1, 0])
            centres, radii = balls.center.ravel().tolist(), balls.radius.ravel().tolist()
            for ball, centre, radius in zip(exact, centres, radii, strict=True):
                assert ball.rad() < 1e-45
                assert abs(ball - centre) < radius < 1e-10
            assert some[0].overlaps(exact[-1])
            assert some[1].overlaps(exact[0])
            assert trace.overlaps(sum(exact[:: dimension + 1], arb(0)))
            assert trace.rad() < 1e-40


def test_each_matrix_is_its_factor_times_the_transpose() -> None:
    """The factors come from the digits of the source, one after the other, row by row."""
    for seed in range(4):
        parts = StandardWisharts(3, 4, 6, SeededEntropy(seed)).parts()
        factors = LazyNormals((3, 4, 6), SeededEntropy(seed)).approximate().center
        for part, factor in zip(parts, factors, strict=True):
            assert np.allclose(part.approximate().center, factor @ factor.T, rtol=1e-13)


@pytest.mark.parametrize(("degrees", "accepted"), [(5, True), (4, False)])
def test_they_have_chi_square_forms_and_schur_complements(
    cdf_radius, cdf_distance, degrees: int, accepted: bool
) -> None:
    """Degrees of freedom are m for u'Wu and m - d + 1 for 1 / (u'W^-1 u); error probabilities are those of the radius.

    The control: with one degree less both laws are more than twice the radius away.
    """
    count = 5_000
    entropy = SeededEntropy(degrees)
    draws = np.array(
        [
            part.approximate().center
            for _ in range(count // 2)
            for part in StandardWisharts(2, 3, degrees, entropy).parts()
        ]
    )
    direction = np.array([0.6, 0, -0.8])
    forms = np.einsum("nij,i,j->n", draws, direction, direction)
    inverse_forms = np.einsum("nij,i,j->n", np.linalg.inv(draws), direction, direction)
    assert (cdf_distance(forms, chi2(5).cdf) <= cdf_radius(count)) is accepted
    assert (cdf_distance(1 / inverse_forms, chi2(3).cdf) <= cdf_radius(count)) is accepted
    assert abs(np.corrcoef(forms[::2], forms[1::2])[0, 1]) < 0.15, "2500 pairs: beyond 7 standard deviations"


def test_digits_are_drawn_for_the_rows_of_the_entries_alone() -> None:
    together = StandardWisharts(2, 3, 2, SeededEntropy(1))
    together.parts()[1].refine(200, [1])
    known = {pair for pair in range(6) if together.normals.radial.digits(pair)[1] == 200}
    assert known == {3, 4}, "the first two rows of the second factor, of one pair each"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0, 1, 1), "count"), ((1, 0, 1), "dimension"), ((1, 1, 0), "degrees"), ((2, 3, -1), "degrees")],
)
def test_numbers_below_one_are_refused(arguments: tuple[int, int, int], name: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{name}: "):
        StandardWisharts(*arguments, SeededEntropy(0))


def test_a_child_of_the_process_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh, seen = (StandardWisharts(1, 2, 3, SeededEntropy(0)).parts()[0] for _ in range(2))
    seen.approximate()
    monkeypatch.setattr(fast_rectangles, "process_identity", lambda: (0, 99))
    for part in (fresh, seen):
        for read in (part.approximate, lambda one=part: one.enclose([0]), lambda one=part: one.refine(99, [0])):
            with pytest.raises(EntropyError, match="forked"):
                read()
