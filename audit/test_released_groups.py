"""What the guarantee of a release says of a person with several records, against sums and laws in closed form.

A certificate lists it, and a user may ask for it. A guarantee for one record is carried on by steps, each of which
costs epsilon and a delta that the steps before it have made larger; a profile is carried on by a change that is so many
times as large, where noise is added, and else by the same steps. Nothing is statistical. The controls are the answers
for one record fewer.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from flint import arb
from mpmath import mpf

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, precision, rational
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    ChainedProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
    PrivacyProfile,
    group_guarantee,
    group_profile,
)
from dpmatrix.release_certificates.words import GROUPS, group_rows

RELATIONS = (Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE)
SMALL = Fraction(1, 10**7)


def number(value: Fraction | int) -> mpf:
    exact = Fraction(value)
    return mpf(exact.numerator) / exact.denominator


def summed(epsilon: Fraction, delta: Fraction, records: int) -> mpf:
    """Return delta (1 + e^epsilon + ...), with as many terms as there are records."""
    return number(delta) * mpmath.fsum(mpmath.exp(number(epsilon) * k) for k in range(records))


@pytest.mark.parametrize("adjacency", RELATIONS, ids=lambda relation: relation.value)
@pytest.mark.parametrize("records", [1, 2, 3, 10])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(5, 4)])
def test_a_group_pays_epsilon_for_each_and_the_sum_of_all_deltas(
    adjacency: Adjacency, records: int, epsilon: Fraction
) -> None:
    found = group_guarantee(PrivacyGuarantee(epsilon, SMALL, adjacency), records)
    assert found.epsilon == records * epsilon
    assert found.adjacency is adjacency
    assert group_guarantee(PrivacyGuarantee(epsilon, 0, adjacency), records).delta == 0
    assert records > 1 or found.delta == SMALL
    with mpmath.workdps(40):
        expected = summed(epsilon, SMALL, records)
        assert expected * (1 - mpf(10) ** -35) <= number(found.delta) <= expected * (1 + mpf(10) ** -12)
        assert records == 1 or number(found.delta) > summed(epsilon, SMALL, records - 1), "control"


def test_a_group_whose_delta_reaches_one_has_no_guarantee() -> None:
    one = PrivacyGuarantee(Fraction(1, 10), Fraction(1, 3), RELATIONS[0])
    assert group_guarantee(one, 2).delta < Fraction(3, 4), "control"
    for records in (3, 4):
        with pytest.raises(InvalidParameterError, match=f"records: to {records} of them nothing is guaranteed"):
            group_guarantee(one, records)
    # Rounded up to eight digits, the sum of 2385/8192 (1 + e^(1/10) + e^(1/5)) is one.
    close = PrivacyGuarantee(Fraction(1, 10), Fraction(2385, 8192), RELATIONS[0])
    assert group_guarantee(close, 3).delta < 1, "control"
    with precision(8), pytest.raises(InvalidParameterError, match="records: to 3 of them"):
        group_guarantee(close, 3)


@pytest.mark.parametrize("records", [0, -1, 2.0, True, None, "2"], ids=lambda value: type(value).__name__)
def test_a_group_is_of_a_whole_number_of_records(records: object) -> None:
    one, profile = PrivacyGuarantee(1, SMALL, RELATIONS[0]), LaplaceProfile(1, 2)
    calls: list[Callable[[], object]] = [
        lambda: group_guarantee(one, records),  # type: ignore[arg-type]
        lambda: group_profile(profile, records),  # type: ignore[arg-type]
        lambda: ChainedProfile(profile, records),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(InvalidParameterError, match="records"):
            call()
    with pytest.raises(InvalidParameterError, match="epsilon"):
        ChainedProfile(profile, 2).delta(-1)


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(3), Fraction(7, 1000)])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**6), Fraction(1, 5)])
def test_the_table_of_a_certificate_promises_no_more_than_the_sums(epsilon: Fraction, delta: Fraction) -> None:
    rows = group_rows(PrivacyGuarantee(epsilon, delta, RELATIONS[0]))
    assert [row.records for row in rows] == list(GROUPS) == [1, 2, 5, 10]
    with mpmath.workdps(40):
        for row in rows:
            expected = summed(epsilon, delta, row.records)
            assert (row.epsilon is None) is (expected >= 1)
            if row.epsilon is not None:
                assert Fraction(row.epsilon) == row.records * epsilon
                assert expected * (1 - mpf(10) ** -35) <= number(Fraction(row.delta)) <= expected * mpf("1.01")
                factor = mpmath.exp(number(row.records * epsilon))
                assert factor <= number(Fraction(row.factor)) <= factor * mpf("1.01")


def tails(shift: mpf, epsilon: mpf) -> mpf:
    """Return the loss of real Gaussian noise for a shift in deviations."""
    return mpmath.ncdf(shift / 2 - epsilon / shift) - mpmath.exp(epsilon) * mpmath.ncdf(-shift / 2 - epsilon / shift)


def whole(law: Callable[[int], mpf], shift: int, epsilon: mpf) -> mpf:
    """Return the loss of noise on the integers for a shift: a sum over all that matter."""
    reach = range(-150, 151)
    parts = (law(k) - mpmath.exp(epsilon) * law(k - shift) for k in reach)
    return mpmath.fsum(part for part in parts if part > 0) / mpmath.fsum(law(k) for k in reach)


def geometric(k: int) -> mpf:
    return mpmath.exp(-mpf(abs(k)) / 2)


def gaussian(k: int) -> mpf:
    return mpmath.exp(-mpf(k * k) / 14)


def bounded(width: mpf, epsilon: mpf) -> mpf:
    """Return the loss of two outcomes whose log-ratios are as far apart as allowed, the worst of all such pairs."""

    def loss(place: mpf) -> mpf:
        # Log-ratios t - width and t: the probabilities add up to one before and after.
        before = (mpmath.exp(place) - 1) / (mpmath.exp(width) - 1) * mpmath.exp(width - place)
        after = before * mpmath.exp(place - width)
        return max(1 - before - mpmath.exp(epsilon) * (1 - after), before - mpmath.exp(epsilon) * after)

    return max(loss(width * k / 400) for k in range(1, 400))


NOISES: dict[str, tuple[PrivacyProfile, Callable[[int, mpf], mpf]]] = {
    # The fractions 1/5 and 2/3 are no floats.
    "gaussian": (GaussianProfile(Fraction(2, 3), 2), lambda k, epsilon: tails(mpf(k) / 3, epsilon)),
    "gaussian-float": (GaussianProfile(0.75, 2), lambda k, epsilon: tails(mpf(3 * k) / 8, epsilon)),
    "gaussian-integer": (GaussianProfile(1, 2), lambda k, epsilon: tails(mpf(k) / 2, epsilon)),
    "gaussian-ball": (GaussianProfile(arb(2).sqrt(), 4), lambda k, epsilon: tails(mpmath.sqrt(2) * k / 4, epsilon)),
    "laplace": (LaplaceProfile(Fraction(1, 5), 1), lambda k, epsilon: 1 - mpmath.exp((epsilon - mpf(k) / 5) / 2)),
    "discrete-laplace": (DiscreteLaplaceProfile(3, 2), lambda k, epsilon: whole(geometric, 3 * k, epsilon)),
    "discrete-gaussian": (DiscreteGaussianProfile(4, 7), lambda k, epsilon: whole(gaussian, 2 * k, epsilon)),
}


def ends(ball: arb) -> tuple[mpf, mpf]:
    return mpf(ball.lower().str(40, radius=False)), mpf(ball.upper().str(40, radius=False))


def holds(ball: arb, value: mpf) -> bool:
    """Whether a ball holds a value, up to rounding, and little else."""
    low, high = ends(ball)
    return bool(
        low <= value * (1 + mpf(10) ** -10) and value * (1 - mpf(10) ** -10) <= high <= low * (1 + mpf(10) ** -9)
    )


@pytest.mark.parametrize("records", [1, 2, 3])
@pytest.mark.parametrize("name", NOISES)
def test_the_change_of_a_group_is_so_many_times_as_large(name: str, records: int) -> None:
    profile, loss = NOISES[name]
    epsilon = Fraction(1, 8)
    found = group_profile(profile, records).delta(epsilon)
    with mpmath.workdps(30):
        expected = loss(records, number(epsilon))
        assert holds(found, expected)
        assert not holds(group_profile(profile, records + 1).delta(epsilon), expected), "control"


@pytest.mark.parametrize("records", range(2, 12))
def test_a_change_that_is_a_float_is_multiplied_without_rounding(records: int) -> None:
    """The float next to 0.1, three times, is no float."""
    change, least = rational(0.7) * records, rational(0.1) * records
    gaussian = group_profile(GaussianProfile(0.7, 2), records)
    laplace = group_profile(LaplaceProfile(0.7, 2, 0.1), records)
    score = group_profile(BoundedRangeProfile(0.7), records)
    assert isinstance(gaussian, GaussianProfile)
    assert isinstance(laplace, LaplaceProfile)
    assert isinstance(score, BoundedRangeProfile)
    assert [gaussian.sensitivity, laplace.sensitivity, score.range] == [change] * 3
    assert laplace.coordinate_sensitivity == least


@pytest.mark.parametrize("records", [2, 3])
def test_what_one_coordinate_changes_by_grows_with_the_group(records: int) -> None:
    """The loss lies between that of the coordinate and that of all of them together."""
    epsilon = Fraction(1, 8)
    with mpmath.workdps(30):
        for profile, least, most in (
            (
                LaplaceProfile(Fraction(7, 5), 1, Fraction(2, 5)),
                LaplaceProfile(Fraction(2, 5), 1),
                LaplaceProfile(Fraction(7, 5), 1),
            ),
            (DiscreteLaplaceProfile(5, 4, 2), DiscreteLaplaceProfile(2, 4), DiscreteLaplaceProfile(5, 4)),
        ):
            low, high = ends(group_profile(profile, records).delta(epsilon))
            first, second = (ends(group_profile(one, records).delta(epsilon)) for one in (least, most))
            assert abs(low - first[0]) <= mpf(10) ** -8
            assert abs(high - second[1]) <= mpf(10) ** -8
            assert first[1] < second[0], "control"


def test_a_score_of_bounded_range_has_the_range_of_all_together() -> None:
    with mpmath.workdps(30):
        for range_, records in ((Fraction(2, 5), 3), (0.5, 2), (1, 1)):
            low, high = ends(group_profile(BoundedRangeProfile(range_), records).delta(Fraction(1, 8)))
            expected = bounded(number(Fraction(range_) * records), mpf(1) / 8)
            assert abs(low - expected) <= mpf(10) ** -4
            assert abs(high - expected) <= mpf(10) ** -4


class Translated:
    """Laplace noise of scale 2 for a change by one, as a profile of no kind that is known."""

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta."""
        return LaplaceProfile(1, 2).delta(epsilon)


@pytest.mark.parametrize("records", [1, 2, 3, 6])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 4), Fraction(2, 5), Fraction(3)])
def test_a_chain_of_steps_is_no_less_than_what_the_group_loses(records: int, epsilon: Fraction) -> None:
    profile = group_profile(Translated(), records)
    assert isinstance(profile, ChainedProfile) is (records > 1)
    low, high = ends(profile.delta(epsilon))
    lost = LaplaceProfile(records, 2).delta(epsilon)
    with mpmath.workdps(30):
        slack = mpf(10) ** -7
        assert ends(Translated().delta(epsilon))[0] * (1 - slack) <= low <= ends(lost)[1] * (1 + slack)
        assert ends(lost)[0] * (1 - slack) <= high
        step = number(epsilon) / records
        delta = max(mpf(0), 1 - mpmath.exp((step - mpf(1) / 2) / 2))
        expected = min(mpf(1), delta * mpmath.fsum(mpmath.exp(step * k) for k in range(records)))
        assert abs(high - expected) <= slack
        assert abs(ends(ChainedProfile(Translated(), records).delta(epsilon))[1] - expected) <= slack
