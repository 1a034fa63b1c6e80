"""What becomes of Theorems 14, 17 and 18 of `sliding-window`: windows from dyadic sums that are published once."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import attrs
import mpmath
import numpy as np
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import published_windows as module
from dpmatrix.spec.sliding_window import released_sums
from dpmatrix.spec.sliding_window.dyadic_release import WindowCover, signed_cover
from dpmatrix.spec.sliding_window.eigenvalue_laws import gaussian_within, triangle_exceeds
from dpmatrix.spec.sliding_window.published_windows import PublishedWindows, long_sums
from proofs_checks.sliding_window.dyadic_noise import check_release, deviation

theorem_14 = cite("sliding-window.theorem-14@763b3875")
theorem_17 = cite("sliding-window.theorem-17@96889bd7")
theorem_18 = cite("sliding-window.theorem-18@ad936cce")

LAST, ALL, LONG = (f"sliding-window.theorem-{number}+repair" for number in (14, 17, 18))
MILLIONTH = Fraction(1, 10**6)
ENTRIES = (1, 5, 0, 7, 2, 3, 1, 4, 6)


def stream(total: int, width: int = 1, time: int = 3) -> fmpq_mat:
    """Rows of which no two partial sums of squares agree, but the one that changes is a unit vector."""
    table = [[ENTRIES[(t + 2 * j) % 9] for j in range(width)] for t in range(total)]
    if time <= total:
        table[time - 1] = [1] + [0] * (width - 1)
    return fmpq_mat(table)


def most(name: str, p: PublishedWindows) -> int:
    """Give the sums that zeta is for: those of the last window, or as many as any may have."""
    last = WindowCover(max(0, p.rows.nrows() - p.window), p.rows.nrows(), p.height)
    return {LAST: len(signed_cover(last)), ALL: 2 * p.height + 1, LONG: 2**p.height + 2 * p.height}[name]


def least_bound(name: str, p: PublishedWindows) -> Fraction:
    """Zeta, rounded up to hundredths of a thousandth."""
    times = 1 if name == LAST else p.rows.nrows()
    with mpmath.workdps(40):
        exponent = p.rows.ncols() * mpmath.log(3) + mpmath.log(2 * times / real(p.beta))
        needed = mpmath.mpf(16) / 7 * deviation(p) * mpmath.sqrt(most(name, p) * exponent)
        return Fraction(int(mpmath.ceil(needed * 10**5)), 10**5)


def published(name: str, total: int, height: int, window: int, **changes) -> PublishedWindows:
    p = PublishedWindows(stream(total), 3, height, 1, MILLIONTH, window, Fraction(1, 3), 1)
    p = attrs.evolve(p, **changes)
    return p if "bound" in changes else attrs.evolve(p, bound=least_bound(name, p))


def slack(name: str, p: PublishedWindows):
    """Compute the margin for numbers: one row a at the time that is zero in the other stream, and normal noise."""
    s, moved = deviation(p), real(p.rows[p.time - 1, 0]) ** 2 * mpmath.sqrt(p.height + 1)
    mu, e = moved / s, real(p.epsilon)
    spare = real(p.delta)
    if mu:
        spare -= mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
    sums = [count_by_hand(max(0, t - p.window), t, 1 << p.height) for t in range(1, p.rows.nrows() + 1)]
    sums = sums[-1:] if name == LAST else sums
    room = {LAST: 2 * p.height + 1, ALL: 2 * p.height + 1, LONG: 2**p.height + 2 * p.height}[name] - max(sums)
    fails = sum(mpmath.erfc(real(p.bound) / s / mpmath.sqrt(2 * q)) for q in sums)
    assert len(sums) == 1 or fails < 1e-45
    return min(spare, mpmath.mpf(room), real(p.beta) - fails)


def count_by_hand(begin: int, end: int, width: int) -> int:
    """Binary digits of the prefixes of blocks: those before the window, and those up to its end."""
    blocks = range(begin // width, (end - 1) // width + 1)
    ends = [min(end, (block + 1) * width) - block * width for block in blocks]
    return (begin % width).bit_count() + sum(length.bit_count() for length in ends)


def points(name: str):
    for total, (height, window), (epsilon, beta), delta in product(
        (3, 7, 8, 9),
        ((2, 4), (2, 3), (3, 5)),
        ((1, Fraction(1, 3)), (10**4, Fraction(1, 9))),
        (Fraction(1, 3), MILLIONTH),
    ):
        p = published(name, total, height, window, epsilon=epsilon, delta=delta, beta=beta)
        yield attrs.evolve(p, bound=4 * p.bound)
    for row, bound in product((0, Fraction(1, 2), 1), (3, 40)):
        rows = fmpq_mat([[rational(row)]])
        yield PublishedWindows(rows, 1, 0, 1, MILLIONTH, 1, Fraction(1, 2), bound)
        yield PublishedWindows(rows, 1, 1, 100, Fraction(1, 9), 2, Fraction(1, 20), Fraction(bound, 90))


def plane_within(end: mpmath.mpf, diagonal: mpmath.mpf) -> mpmath.mpf:
    """Pr(both eigenvalues in [-end, end]), order 2, N(0, 1/2) off the diagonal and variance ``diagonal`` on it.

    They are m +- sqrt(u^2 + b^2) with m, u normal of half the variance on the diagonal.
    """

    def ring(r: mpmath.mpf) -> mpmath.mpf:
        angle = mpmath.besseli(0, r**2 * (1 - 1 / diagonal) / 2) * mpmath.exp(-(r**2) * (1 + 1 / diagonal) / 2)
        density = 2 * r / mpmath.sqrt(diagonal) * angle
        return density * mpmath.erf((end - r) / mpmath.sqrt(diagonal))

    return mpmath.quad(ring, [0, end])


def within_by_quadrature(order: int, end: mpmath.mpf) -> mpmath.mpf:
    """Pr(all eigenvalues in [-end, end]), N(0, 1) on the diagonal: de Bruijn's Pfaffian, its entries by quadrature."""

    def integral(k: int, y: mpmath.mpf) -> mpmath.mpf:
        """Integrate x^k exp(-x^2/2) from 0 to y."""
        if k < 2:
            return mpmath.sqrt(mpmath.pi / 2) * mpmath.erf(y / mpmath.sqrt(2)) if k == 0 else -mpmath.expm1(-y * y / 2)
        return (k - 1) * integral(k - 2, y) - y ** (k - 1) * mpmath.exp(-y * y / 2)

    def squared(end: mpmath.mpf) -> mpmath.mpf:
        table = mpmath.zeros(order + order % 2)
        for i, j in combinations(range(order), 2):
            ends = integral(i, end) + integral(i, -end)

            def entry(y, i=i, j=j, ends=ends):
                """Weigh y by x^i below it less x^i above it."""
                return y**j * mpmath.exp(-y * y / 2) * (2 * integral(i, y) - ends)

            table[i, j] = mpmath.quad(entry, [-end, 0, end]) if (i - j) % 2 else 0
            table[j, i] = -table[i, j]
        for i in range(order * (order % 2)):
            table[i, order] = integral(i, end) - integral(i, -end)
            table[order, i] = -table[i, order]
        return mpmath.det(table)

    return mpmath.sqrt(squared(end) / squared(mpmath.mpf(12)))  # all of the mass but 10^-30


def check_law_of_noise() -> None:
    """Check the invariant law for orders 1 to 4, and that the law of the noise in the plane is enclosed."""
    with mpmath.workdps(20):
        for bound in (mpmath.mpf(1), mpmath.mpf(5) / 2):
            for order in range(1, 5):
                law = within_by_quadrature(order, bound)
                assert abs(gaussian_within(order, arb(str(bound))) - arb(mpmath.nstr(law, 18))) < arb(10) ** -12
            assert abs(within_by_quadrature(2, bound) - plane_within(bound, mpmath.mpf(1))) < 1e-15
            ratio = bound / mpmath.sqrt(2)
            enclosure = triangle_exceeds(2, arb(1), Fraction(str(bound)))
            assert enclosure.contains(arb(mpmath.nstr(1 - plane_within(ratio, mpmath.mpf(1) / 2), 18)))
            ends = (mpmath.erfc(ratio), 1 - plane_within(ratio, mpmath.mpf(1)))
            for end, stated in zip((enclosure.lower(), enclosure.upper()), ends, strict=True):
                assert abs(end - arb(mpmath.nstr(stated, 18))) < arb(10) ** -8
    assert triangle_exceeds(2, arb(1), 0) == 1, "any noise is above 0"


def test_the_law_of_noise_with_one_variance() -> None:
    """The enclosure holds what sampling finds in space."""
    normal = np.random.default_rng(5)
    draws = normal.standard_normal((20_000, 3, 3))
    upper = np.triu(draws)
    noise = upper + np.triu(draws, 1).transpose(0, 2, 1)
    invariant = (draws + draws.transpose(0, 2, 1)) / 2
    for bound in (2, 3):
        share = float((np.abs(np.linalg.eigvalsh(noise)).max(axis=1) > bound).mean())
        assert triangle_exceeds(3, arb(1), bound).lower() < share < triangle_exceeds(3, arb(1), bound).upper()
        inside = float((np.abs(np.linalg.eigvalsh(invariant)).max(axis=1) < bound).mean())
        assert abs(float(gaussian_within(3, arb(bound))) - inside) < 0.02


@theorem_14.supports_repair(grade="derived", region="every stream, d, W, T, eps, delta, beta: derivation below")
@theorem_17.supports_repair(grade="derived", region="every stream, d, W, T, eps, delta, beta: derivation below")
@theorem_18.supports_repair(grade="derived", region="every stream, d, W, T, eps, delta, beta: derivation below")
def test_windows_of_published_sums(statements) -> None:
    """Guarantee, cover of one window by at most 2h + 1 sums, and its noise: see `check_release`.

    *All times.* The T noises exceed zeta with probability beta/T each, at most, when log(2T/beta) stands for
    log(2/beta); together with at most beta, whatever their dependence.

    *Sub-windows.* Let a window of at most 4^h rows meet m + 1 blocks of 2^h rows. It is the first m blocks, one sum
    each, less the prefix before it, of at most h sums, plus a prefix of the last block, of at most h sums, or the whole
    of it. As 4^h rows have no room for more, m <= 2^h, and m < 2^h if it begins with a block or ends with one. So 2^h +
    2h sums do for h >= 1; for h = 0 it is one row.
    """
    check_release()
    check_law_of_noise()
    for height in range(4):
        spans = [(b, b + n) for n in range(1, 4**height + 1) for b in range(1 << height)]
        counts = [len(signed_cover(WindowCover(begin, end, height))) for begin, end in spans]
        assert max(counts) <= long_sums(height)
        assert counts == [count_by_hand(begin, end, 1 << height) for begin, end in spans]
    for name, statement in statements.items():
        with mpmath.workdps(60):
            values = [(p, slack(name, p)) for p in points(name)]
            assert sum(value < 0 for _, value in values) >= 3, "here the probability decides"
            bind(statement, values)
        for width, (total, height, window) in product((1, 2, 3), ((1, 0, 1), (5, 2, 3), (7, 2, 4), (9, 3, 8))):
            p = attrs.evolve(published(name, total, height, window), rows=stream(total, width), time=min(3, total))
            p = attrs.evolve(p, rows=stream(total, width, p.time))
            p = attrs.evolve(p, bound=least_bound(name, p))
            assert statement.at(p) is Truth.TRUE
            assert statement.at(attrs.evolve(p, rows=p.rows / 2)) is Truth.TRUE
        if name != LAST:
            loud = statement.margin(published(name, 7, 2, 4, bound=Fraction(1, 100)))
            assert abs(loud.lower() - (arb(1) / 3 - 1)) < arb(10) ** -9, "seven windows fail with probability 1, not 7"
            worst = published(name, 7, 2, 4, bound=20)
            most_parts = max(count_by_hand(max(0, t - 4), t, 4) for t in range(1, 8))
            rarest = mpmath.erfc(20 / deviation(worst) / mpmath.sqrt(2 * most_parts))
            spare = float(statement.margin(worst).upper())
            assert abs(spare - (1 / 3 - float(rarest))) < 1e-7, "no rarer than the failure of the longest sum"
        assert not statement.strict
    crossing = published(LONG, 9, 2, 9)
    assert statements[LONG].at(crossing) is Truth.TRUE
    assert statements[ALL].applies(crossing) is Truth.FALSE


def outside(name: str, p: PublishedWindows) -> dict[str, PublishedWindows]:
    found = {
        "time >= 1, an integer": {"time": 0},
        "time <= T": {"time": 8},
        "the row has norm at most 1": {"time": 2},
        "height >= 0, an integer": {"height": -1},
        "epsilon > 0": {"epsilon": 0},
        "delta > 0": {"delta": 0},
        "delta < 1": {"delta": 1},
        "window >= 1, an integer": {"window": 0},
        "beta > 0": {"beta": 0},
        "beta < 1": {"beta": 1},
    }
    found |= {
        LAST: {
            "W <= 2^h": {"window": 5},
            "zeta >= (16/7) s sqrt(q (d log 3 + log(2/beta)))": {"bound": p.bound - Fraction(1, 10**4)},
        },
        ALL: {
            "W <= 2^h": {"window": 5},
            "zeta >= (16/7) s sqrt((2h+1) (d log 3 + log(2T/beta)))": {"bound": p.bound - Fraction(1, 10**4)},
        },
        LONG: {
            "W <= 4^h": {"window": 17},
            "zeta >= (16/7) s sqrt((2^h+2h) (d log 3 + log(2T/beta)))": {"bound": p.bound - Fraction(1, 10**4)},
        },
    }[name]
    return {says: attrs.evolve(p, **change) for says, change in found.items()}


def check_window_of_hypotheses(name: str, statement, zeta: str) -> None:
    """Check that windows are as long as they may be, and no longer, and that zeta is one of a window in blocks."""
    longest = 16 if name == LONG else 4
    assert statement.applies(published(name, 7, 2, longest)) is Truth.TRUE
    if name != LONG:
        assert statement.applies(published(name, 7, 3, 9)) is Truth.FALSE, "blocks of eight"
    (large,) = (condition for condition in statement.given if condition.says == zeta)
    if name != ALL:
        assert large.at(attrs.evolve(published(name, 7, 2, 2), height=-1)) is Truth.FALSE
    if name == LAST:
        assert large.at(attrs.evolve(published(name, 7, 2, 2), window=0)) is Truth.FALSE


@theorem_14.controls("+repair", grade="interval", region="half the noise; zeta/20; a longer row; no subtracted sums")
@theorem_17.controls("+repair", grade="interval", region="half the noise; zeta/20; a longer row; no subtracted sums")
@theorem_18.controls("+repair", grade="interval", region="half the noise; zeta/20; a longer row; no subtracted sums")
def test_less_noise_and_wrong_windows_are_noticed(statements) -> None:
    for name, statement in statements.items():
        p = published(name, 7, 2, 2)
        assert statement.at(p) is Truth.TRUE
        excluded = outside(name, p)
        bind_hypotheses(statement, p, excluded)
        (zeta,) = (says for says in excluded if says.startswith("zeta"))
        check_window_of_hypotheses(name, statement, zeta)
        assert statement.without(zeta).at(attrs.evolve(p, bound=p.bound / 20)) is Truth.FALSE
        assert statement.without("the row has norm at most 1").at(attrs.evolve(p, time=2)) is Truth.FALSE

        def with_half_the_noise(q: PublishedWindows):
            moved = arb(released_sums.squared_shift(q)).sqrt()
            return GaussianProfile(moved, module.noise_of_one(q) / 2).delta(q.epsilon)

        assert redefined(statement, module, "joint_divergence", with_half_the_noise).at(p) is Truth.FALSE

        def added(q: WindowCover):
            return [(1, part) for _, part in signed_cover(q)]

        assert redefined(statement, module, "signed_cover", added).at(p) is Truth.FALSE
