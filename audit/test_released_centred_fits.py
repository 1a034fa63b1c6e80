"""What a centred fit publishes: the release of the mechanism on records with a constant beside them, and nothing else.

Nothing is statistical: from the same bits the integers are those of the mechanism, and from one release two neighbours
get the same fit.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from audit.released.fits import BOUND, DATA, EPSILON, ESTIMATORS, GAUSSIAN, REPLACEMENT, asked, fitted
from audit.released.settings import ADDED, REPLACED
from dpmatrix.errors import InvalidParameterError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget
from dpmatrix.mechanisms import SymmetrisedWishartMechanism
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.randomness.entropy import SeededEntropy

CONSTANT, LONGER = 2.640625, Fraction(628229, 131072)
"""The constant beside three columns of bound 4, and a bound on the norm of both together, computed by hand."""


def extended(data: np.ndarray) -> np.ndarray:
    """Put the constant beside records."""
    return np.column_stack([data, np.full(len(data), CONSTANT)])


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
@pytest.mark.parametrize("mechanism", MATRICES)
def test_a_centred_fit_releases_what_the_mechanism_does_of_longer_records(mechanism: str) -> None:
    """Neighbours stay neighbours: the constant is of no record, and no longer record exceeds the bound."""
    assert Fraction(CONSTANT) ** 2 + BOUND**2 <= LONGER**2
    more = {"delta": Fraction(1, 10**6)} if mechanism in GAUSSIAN else {}
    made = MATRICES[mechanism](EPSILON, adjacency=REPLACED, norm_bound=LONGER, **more)
    for kind in ESTIMATORS:
        for data in (DATA, REPLACEMENT):
            fit = kind(**asked(REPLACED, mechanism), centred=True, random_state=7).fit(data)
            expected = made.release(extended(data), entropy=SeededEntropy(7))
            assert fit.release_.integers.tolist() == expected.integers.tolist()
            assert fit.release_.grid == expected.grid
            assert fit.guarantee_ is None, "the bits are known"
        budget = PrivacyBudget(made.guarantee.epsilon, made.guarantee.delta)
        secret = kind(**asked(REPLACED, mechanism), centred=True, budget=budget).fit(DATA)
        assert budget.spent == (made.guarantee,) == (secret.guarantee_,)
        long = kind(**asked(REPLACED, mechanism), centred=True, random_state=7).fit(
            np.vstack([DATA[:-1], 3 * DATA[-1:]])
        )
        clipped = made.release(extended(DATA), entropy=SeededEntropy(7))
        assert long.release_.integers.tolist() == clipped.integers.tolist()
        with pytest.raises(InvalidParameterError, match="no guarantee covers this refusal"):
            kind(**asked(REPLACED, mechanism), centred=True, over_norm="reject").fit(1.001 * DATA)
        with pytest.raises(InvalidParameterError, match="a secret under 'add-remove-one'"):
            kind(**asked(ADDED, mechanism), centred=True).fit(DATA)


@pytest.mark.parametrize("mechanism", DIRECTIONS)
def test_a_fit_that_cannot_be_centred_is_refused_before_it_is_paid(monkeypatch, mechanism: str) -> None:
    monkeypatch.setattr(SymmetrisedWishartMechanism, "release", lambda *_data, **_bits: pytest.fail("it was drawn"))
    for made, more, reason in (
        (DPPCA, {"mechanism": mechanism}, "publishes no mean"),
        (DPSecondMoment, {"divisor": 4}, "a divisor is given"),
        (DPSecondMoment, {"centred": "no"}, "is no truth value"),
    ):
        budget = PrivacyBudget(1)
        with pytest.raises(InvalidParameterError, match=reason):
            made(**{**asked(REPLACED), "centred": True, **more}, budget=budget).fit(DATA)
        assert budget.spent == ()


def test_no_longer_record_exceeds_its_bound_by_a_last_digit() -> None:
    """Bounds are taken near 5, with a root just above a whole number of units of the bound on longer records."""
    constant, unit = Fraction(211, 64), Fraction(1, 2**17)
    whole = math.isqrt(math.floor((25 + constant**2) / unit**2))
    for above in (0, 1, 2**20):
        scaled = ((whole * unit) ** 2 - constant**2) * 2**200
        bound = Fraction(math.isqrt(math.ceil(scaled)) + 1 + above, 2**100)
        paid = DPSecondMoment(epsilon=EPSILON, data_norm=bound, centred=True).fit(np.zeros((2, 3))).expense_.data_norm
        assert bound**2 + constant**2 <= paid**2 <= (whole + 1) ** 2 * unit**2


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_centred_fit_is_a_function_of_the_release(monkeypatch, kind: type) -> None:
    release = SymmetrisedWishartMechanism(EPSILON, adjacency=REPLACED, norm_bound=LONGER).release(extended(DATA))
    monkeypatch.setattr(SymmetrisedWishartMechanism, "release", lambda *_data, **_bits: release)
    fits = [fitted(kind(**asked(REPLACED), centred=True).fit(data)) for data in (DATA, REPLACEMENT)]
    assert fits[0] == fits[1]
    assert fits[0]["guarantee_"] == repr(release.guarantee)
