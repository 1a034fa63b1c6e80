"""Windows read off noisy combinations of a stream: one guarantee, and the noise of a quotient."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import numpy as np
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import windows
from dpmatrix.spec.beyond.windows import NoisyParts, Quotient, StreamPair

privacy = cite("beyond.window-privacy@ea4890e2")
estimates = cite("beyond.window-estimates@718b5661")

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
TENTH = Fraction(1, 10)
ROWS = {
    REPLACE: (((1, 0), (0, 1)), ((Fraction(3, 5), Fraction(4, 5)), (Fraction(1, 2), 0))),
    ADD: (((0, 0), (1, 0)), ((Fraction(3, 5), Fraction(-4, 5)), (0, 0))),
}
WEIGHTS = ((1,), (4, 2, 1), (1, Fraction(1, 2), Fraction(-1, 8)), (3, 0, -5, 1))


def streams() -> Iterator[StreamPair]:
    """Yield pairs of streams whose row comes early, late, and last."""
    for (adjacency, rows), weights, (time, length) in product(ROWS.items(), WEIGHTS, ((1, 6), (3, 4), (2, 2))):
        for v, w in rows:
            for epsilon, delta in ((1, Fraction(1, 1000)), (Fraction(9), TENTH)):
                yield StreamPair(epsilon, delta, 1, adjacency, weights, v, w, time, length)


def normal_delta(mu: mpmath.mpf, epsilon: Fraction) -> mpmath.mpf:
    """Give the profile of a normal shift by mu: Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)."""
    eps = real(epsilon)
    return mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu)


def real(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(Fraction(value).numerator) / Fraction(value).denominator


def stream_margins() -> Iterator[tuple[StreamPair, str]]:
    """Yield pairs and delta/2 less their delta, with the change and the noise written out, to 40 digits."""
    with mpmath.workdps(60):
        for p in streams():
            seen = p.weights[: p.length - p.time + 1]
            entries = [(i, j) for i in range(2) for j in range(i, 2)]
            change = sum(real(p.v[i] * p.v[j] - p.w[i] * p.w[j]) ** 2 for i, j in entries)
            change *= sum(real(weight) ** 2 for weight in seen)
            norm = sum(real(weight) ** 2 for weight in p.weights) * (2 if p.adjacency is REPLACE else 1)
            root, eps = mpmath.sqrt(2 * mpmath.log(1 / real(p.delta))), real(p.epsilon)
            one = max((1 + root) / eps, (root + mpmath.sqrt(root**2 + 2 * eps)) / (2 * eps))
            mu = mpmath.sqrt(change / norm) / one
            yield p, mpmath.nstr(real(p.delta) / 2 - normal_delta(mu, p.epsilon), 40)


PAIR = StreamPair(1, Fraction(1, 1000), 1, REPLACE, (4, 2, 1), (1, 0), (0, 1), 2, 5)
PAIR_OUTSIDE = {
    "epsilon > 0": attrs.evolve(PAIR, epsilon=0),
    "delta > 0": attrs.evolve(PAIR, delta=0),
    "delta < 1": attrs.evolve(PAIR, delta=1),
    "norm_bound > 0": attrs.evolve(PAIR, norm_bound=0, v=(0, 0), w=(0, 0)),
    "some weight is not zero": attrs.evolve(PAIR, weights=(0, 0)),
    "time >= 1, an integer": attrs.evolve(PAIR, time=0),
    "t <= T": attrs.evolve(PAIR, time=6),
    "|v| <= R": attrs.evolve(PAIR, v=(1, TENTH)),
    "|w| <= R": attrs.evolve(PAIR, w=(TENTH, 1)),
    "under add/remove-one, v or w is zero": attrs.evolve(PAIR, adjacency=ADD),
}


@privacy.supports(
    grade="derived", region="all weights, rows, times, epsilon and delta, by the docstring; 96 pairs of streams, d = 2"
)
def test_all_combinations_together_are_one_release(statement) -> None:
    """The rows of time t add vv' or ww' to one part. By linearity Y_(t+k) changes by c_k (vv' - ww') for k < w, and no
    other does: squares sum to |c|^2 |D|^2, or to less where the stream ends before t + w - 1, D the upper triangle of
    vv' - ww' (1). Noise of the deviation |c| s Delta' hides a change of the norm |c| |D|, |D| <= s, as noise of the
    deviation s Delta' hides D: with (epsilon, delta/2), by the repaired Algorithm 1. The combinations of all times are
    one vector of independent normal entries and a change of that norm, so nothing is lost by time.
    """  # noqa: D205
    points = list(stream_margins())
    bind(statement, points)
    bind_hypotheses(statement, PAIR, PAIR_OUTSIDE)
    assert not statement.strict
    assert windows.one_row_margin(PAIR) == 0
    for p, _ in points:
        assert statement.at(p) is Truth.TRUE
        whole = p.length - p.time >= len(p.weights) - 1
        squares = sum(rational(weight) ** 2 for weight in p.weights)
        entry = [rational(a) ** 2 - rational(b) ** 2 for a, b in zip(p.v, p.w, strict=True)]
        cross = rational(p.v[0]) * rational(p.v[1]) - rational(p.w[0]) * rational(p.w[1])
        most = squares * (entry[0] ** 2 + entry[1] ** 2 + cross**2)
        change = windows.changed_square(p)
        assert change.overlaps(arb(most)) if whole else not change > arb(most), "(1)"


@privacy.controls(grade="interval", region="the noise for one combination; the sum of weights in place of their norm")
def test_less_noise_is_not_enough(statement) -> None:
    at = attrs.evolve(PAIR, weights=(1,) * 8, length=12, epsilon=4)
    assert statement.at(at) is Truth.TRUE
    alone = redefined(statement, windows, "stream_deviation", lambda p: deviation(p, arb(1)))
    assert alone.at(at) is Truth.FALSE
    signed = redefined(statement, windows, "stream_deviation", lambda p: deviation(p, weight_total(p)))
    assert signed.at(attrs.evolve(at, weights=(1, -1, 1, -1, 1))) is Truth.FALSE
    for says, field in (("|v| <= R", "v"), ("|w| <= R", "w")):
        assert statement.without(says).at(attrs.evolve(at, **{field: (3, 0)})) is Truth.FALSE
    both = attrs.evolve(at, adjacency=ADD, v=(1, 0), w=(0, 1))
    assert statement.without("under add/remove-one, v or w is zero").at(both) is Truth.FALSE


def deviation(p: StreamPair, norm: arb) -> arb:
    return norm * windows.second_moment_sensitivity(p) * windows.repaired_deviation(p.epsilon, p.delta)


def weight_total(p: StreamPair) -> arb:
    return abs(arb(sum((rational(weight) for weight in p.weights), fmpq(0))))


PARTS = [
    NoisyParts(weights, leaves, tuple(range(1, 9)), (1, -2, Fraction(1, 3), 0, 5, -1, 2, 7))
    for weights, leaves in product(WEIGHTS, (1, 2, 3, 5, 9))
]
PARTS_OUTSIDE = {
    "c_0 is not zero": attrs.evolve(PARTS[0], weights=(0, 1)),
    "leaves >= 1, an integer": attrs.evolve(PARTS[0], leaves=0),
    "as many parts as noises": attrs.evolve(PARTS[0], noise=(1,)),
}


@estimates.supports(grade="derived", region="all weights, W, parts and noise, by the docstring; 20 exact streams")
def test_a_window_is_its_rows_and_filtered_noise(statement) -> None:
    """Series with c_0 other than 0 have one inverse, and X_t as defined is the t-th coefficient of Y/c, since c X = Y
    says c_0 X_t + c_1 X_(t-1) + ... = Y_t. So X = (c G + Z)/c = G + Z/c, and the sum of the last W of X is a X = a G +
    (a/c) Z.
    """  # noqa: D205
    bind(statement, ((p, 0) for p in PARTS))
    bind_hypotheses(statement, PARTS[0], PARTS_OUTSIDE)
    assert not statement.strict
    assert windows.first_weight_margin(attrs.evolve(PARTS[0], weights=())) == -1
    for p in PARTS:
        # the same windows, by matrices
        size = len(p.parts)
        c = [
            [float(p.weights[t - s]) if 0 <= t - s < len(p.weights) else 0.0 for s in range(size)] for t in range(size)
        ]
        a = [[float(0 <= t - s < p.leaves) for s in range(size)] for t in range(size)]
        noisy = np.array(c) @ np.array(p.parts, dtype=float) + np.array([float(z) for z in p.noise])
        expected = np.array(a) @ np.linalg.solve(np.array(c), noisy)
        weights = [rational(weight) for weight in p.weights]
        made = windows.combined(weights, [rational(part) for part in p.parts])
        total = [value + rational(error) for value, error in zip(made, p.noise, strict=True)]
        found = windows.last_sums(windows.estimates(weights, total), p.leaves)
        scale = np.abs(expected).max()
        assert np.allclose([float(fmpq(v).p) / float(fmpq(v).q) for v in found], expected, rtol=0, atol=1e-9 * scale)


@estimates.controls(grade="interval", region="one part more in a window; noise that is not filtered")
def test_other_windows_are_other_sums(statement) -> None:
    at = PARTS[6]
    assert statement.margin(at) == 0
    longer = redefined(
        statement, windows, "window_gains", lambda weights, leaves, terms: gains(weights, leaves + 1, terms)
    )
    assert longer.at(at) is Truth.FALSE
    plain = redefined(statement, windows, "window_gains", lambda _, leaves, terms: gains([fmpq(1)], leaves, terms))
    assert plain.at(at) is Truth.FALSE
    uneven = redefined(statement, windows, "estimates", lambda weights, noisy: [value / weights[0] for value in noisy])
    assert uneven.at(at) is Truth.FALSE


def gains(weights, leaves: int, terms: int) -> list[fmpq]:
    found: list[fmpq] = []
    for t in range(terms):
        value = fmpq(int(t < leaves))
        value -= sum((w * found[t - k] for k, w in enumerate(weights) if 0 < k <= t), fmpq(0))
        found.append(value / weights[0])
    return found


QUOTIENTS = [
    Quotient(weights, leaves, quotient, terms)
    for weights, quotient in (
        ((1,), (1,)),
        ((1, Fraction(1, 2)), (1, Fraction(-1, 2), Fraction(1, 4))),
        ((4, 2, 1), (Fraction(1, 4), Fraction(-1, 8))),
        ((2, Fraction(-1, 2)), (TENTH,)),
    )
    for leaves, terms in ((1, 1), (2, 40), (3, 7), (5, 3), (8, 20))
]
QUOTIENT = QUOTIENTS[6]
QUOTIENT_OUTSIDE = {
    "leaves >= 1, an integer": attrs.evolve(QUOTIENT, leaves=0),
    "terms >= 1, an integer": attrs.evolve(QUOTIENT, terms=0),
    "r < 1": attrs.evolve(QUOTIENT, weights=(1, 1), quotient=(1,)),
}


def quotient_margin(p: Quotient) -> Fraction:
    """Write the bound and the squares out, in fractions."""
    c, q = ([Fraction(value) for value in values] for values in (p.weights, p.quotient))
    rest = [sum(c[i] * q[k - i] for i in range(len(c)) if 0 <= k - i < len(q)) for k in range(len(c) + len(q) - 1)]
    rest[0] -= 1
    answer = [sum(q[max(0, k - p.leaves + 1) : k + 1], Fraction(0)) for k in range(len(q) + p.leaves - 1)]
    bound = sum(value**2 for value in answer) / (1 - sum(abs(value) for value in rest)) ** 2
    terms: list[Fraction] = []
    for t in range(p.terms):
        known = sum((weight * terms[t - k] for k, weight in enumerate(c) if 0 < k <= t), Fraction(0))
        terms.append(((1 if t < p.leaves else 0) - known) / c[0])
    return bound - sum(value**2 for value in terms)


@estimates.supports("bounded", grade="derived", region="all c, q, W and K, by the docstring; 20 exact quotients")
def test_a_quotient_bounds_the_noise_for_ever(statement) -> None:
    """With e = c q - 1 of l1 norm r < 1, c_0 q_0 is not zero, and the series 1 - e + e^2 - ... has l1 norm at most
    1/(1 - r) and is the inverse of 1 + e = c q. So a/c = a q (1 - e + e^2 - ...), as series have one quotient, and the
    l2 norm of a product is at most the l2 norm of one factor times the l1 norm of the other. The first K terms have no
    larger norm than all.
    """  # noqa: D205
    bind(statement, [(p, quotient_margin(p)) for p in QUOTIENTS])
    bind_hypotheses(statement, QUOTIENT, QUOTIENT_OUTSIDE)
    assert not statement.strict
    for p in QUOTIENTS:
        assert statement.at(p) is Truth.TRUE
    assert statement.margin(QUOTIENTS[1]) == 0, "met exactly where q is the inverse"
    assert windows.near_margin(QUOTIENT) == arb(fmpq(7, 8))


@estimates.controls("bounded", grade="interval", region="no remainder; a remainder above one")
def test_a_quotient_that_is_not_near_bounds_nothing(statement) -> None:
    far = Quotient((1, -2), 1, (1,), 12)
    assert statement.without("r < 1").at(far) is Truth.FALSE
    ignored = redefined(statement, windows, "remainder_norm", lambda p: arb(0) * len(p.weights))
    assert ignored.at(QUOTIENTS[16]) is Truth.FALSE
