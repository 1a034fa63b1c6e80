"""The lines of the proof of Theorem 15, (23) to (26), each judged on its own (section 5.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Condition, Statement, Step
from dpmatrix.claims.forms import Range
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, equality, positive, whole
from dpmatrix.spec.near_optimal.divergence import GaussianPair, form
from dpmatrix.spec.near_optimal.nearby import Vector, inner
from dpmatrix.spec.near_optimal.noise import ModSulq, noise_times_records
from dpmatrix.spec.near_optimal.sulq_bound import SETTING, SulqBound, basis_end, divergence_end, log_count, threshold


@attrs.frozen
class Dimension:
    """The dimension d."""

    dimension: int


def basis_margin(p: Dimension) -> arb:
    """``log K = log d`` at the second end of (22)."""
    phi = basis_end(p.dimension)
    return equality(log_count(SulqBound(p.dimension, 1, 1, 1, phi)), arb(p.dimension).log())


def vacuous_margin(p: SulqBound) -> arb:
    """``log K = 1/beta^2 + log 2`` at the third end of (22)."""
    return equality(log_count(attrs.evolve(p, phi=divergence_end(p))), threshold(p))


@attrs.frozen
class ManyRecords(ModSulq):
    """Inputs of MOD-SULQ, and the number of records from which on something holds."""

    least: int


def records_for_third_end(dimension: int, epsilon: Real, delta: Real) -> int:
    """The least integer n with ``1/beta^2 >= log d``."""
    enough = noise_times_records(dimension, epsilon, delta) * arb(dimension).log().sqrt()
    return int(enough.upper().fmpq().ceil())


def third_end_margin(p: ManyRecords) -> arb:
    """The third end of (22) minus the larger of the other two."""
    return divergence_end(p) - basis_end(p.dimension).max(1 / (2 * arb.pi() * p.dimension).sqrt())


def least_margin(p: ManyRecords) -> arb:
    """``n`` minus the number of records from which on it is asserted."""
    return arb(p.records - p.least)


@attrs.frozen
class UnitPair:
    """Two vectors mu and nu, the standard deviation beta of the noise and the bound phi."""

    mu: Vector
    nu: Vector
    deviation: Exact
    phi: Exact


def triangle(x: Vector) -> tuple[Exact, ...]:
    """``x_1^2, ..., x_d^2, x_1 x_2, x_1 x_3, ..., x_(d-1) x_d``."""
    entries = [rational(value) for value in x]
    size = len(entries)
    products = [entries[i] * entries[j] for i in range(size) for j in range(i + 1, size)]
    return tuple([entry * entry for entry in entries] + products)


def square_norm(p: UnitPair) -> fmpq:
    """Squared norm of the difference of the two means."""
    pairs = zip(triangle(p.mu), triangle(p.nu), strict=True)
    return sum(((rational(a) - rational(b)) ** 2 for a, b in pairs), fmpq(0))


def isotropic_margin(p: UnitPair) -> arb:
    """``(m - k)' Sigma^-1 (m - k)/2 = |m - k|^2/(2 beta^2)`` for Sigma = beta^2 I, means m and k."""
    means, variance = (triangle(p.mu), triangle(p.nu)), rational(p.deviation) ** 2
    size = len(means[0])
    covariance = fmpq_mat(size, size, [variance * int(i == j) for i in range(size) for j in range(size)])
    gap = fmpq_mat(size, 1, [rational(a) - rational(b) for a, b in zip(*means, strict=True)])
    left = form(GaussianPair(means[0], means[1], covariance), gap, gap) / 2
    return equality(arb(left - square_norm(p) / (2 * variance)), arb(0))


def inequality_23_margin(p: UnitPair) -> arb:
    """``1/beta^2 - |m - k|^2/(2 beta^2)``."""
    return arb((1 - square_norm(p) / 2) / rational(p.deviation) ** 2)


def inequality_24_margin(p: UnitPair) -> arb:
    """``|mu - nu|^2 - 2 (1 - phi)``."""
    gap = [rational(a) - rational(b) for a, b in zip(p.mu, p.nu, strict=True)]
    return arb(sum((value * value for value in gap), fmpq(0)) - 2 * (1 - rational(p.phi)))


def copies_margin(p: UnitPair) -> arb:
    """``A mu = mu`` for A = mu mu', the second-moment matrix of copies of mu."""
    image = [rational(entry) * inner(p.mu, p.mu) for entry in p.mu]
    return -arb(max(abs(value - rational(entry)) for value, entry in zip(image, p.mu, strict=True)))


def unit_margin(p: UnitPair) -> arb:
    """Minus the larger of ``||mu|^2 - 1|`` and ``||nu|^2 - 1|``."""
    return -arb(max(abs(inner(x, x) - 1) for x in (p.mu, p.nu)))


def separated_margin(p: UnitPair) -> arb:
    """``phi - |<mu, nu>|``."""
    return arb(rational(p.phi) - abs(inner(p.mu, p.nu)))


@attrs.frozen
class Alignment:
    """The law of ``<v^, mu>``: values in [-1, 1] and their probabilities."""

    values: Vector
    probabilities: Vector


def jensen_margin(p: Alignment) -> arb:
    """``E[2 (1 - |<v^, mu>|)] - (E min(|v^ - mu|, |v^ + mu|))^2``."""
    pairs = [(ball(q), ball(s)) for q, s in zip(p.probabilities, p.values, strict=True)]
    lines = sum((q * 2 * (1 - abs(s)) for q, s in pairs), arb(0))
    return lines - square(sum((q * (2 - 2 * abs(s)).sqrt() for q, s in pairs), arb(0)))


def range_margin(p: Alignment) -> arb:
    """Least ``1 - |<v^, mu>|``."""
    return arb(min(1 - abs(rational(s)) for s in p.values))


def mass_margin(p: Alignment) -> arb:
    """Least probability."""
    return arb(min(rational(q) for q in p.probabilities))


def sum_margin(p: Alignment) -> arb:
    """The probabilities sum to 1."""
    return equality(arb(sum((rational(q) for q in p.probabilities), fmpq(0)) - 1), arb(0))


@attrs.frozen
class Rearranged:
    """The expected correlation, phi, and the bracket of (25)."""

    correlation: Real
    phi: Real
    bracket: Real


def inequality_26_margin(p: Rearranged) -> arb:
    """``1 - ((1-phi)/4) bracket^2`` minus the correlation."""
    return 1 - (1 - ball(p.phi)) / 4 * square(ball(p.bracket)) - ball(p.correlation)


def squared_margin(p: Rearranged) -> arb:
    """``2 (1 - correlation) - ((1-phi)/2) bracket^2``."""
    return 2 * (1 - ball(p.correlation)) - (1 - ball(p.phi)) / 2 * square(ball(p.bracket))


UNITS = (Condition("mu and nu have norm 1", unit_margin), positive("deviation"))
LAW = (
    Condition("|<v^, mu>| <= 1", range_margin),
    Condition("the probabilities are at least 0", mass_margin),
    Condition("the probabilities sum to 1", sum_margin),
)

LINES = (
    Step(
        "phi-of-a-basis",
        Statement("K = d at phi = (1 - exp(-2 log(8d)/(d-1)))^(1/2)", basis_margin, given=(whole("dimension", 2),)),
        defect=None,
        note="Below this phi an orthonormal basis is a larger family: Phi need not be cut there.",
    ),
    Step(
        "divergence",
        Statement(
            "KL(f_mu|f_nu) = (m-k)' Sigma^-1 (m-k)/2 = |m-k|^2/(2 beta^2), m and k the means",
            isotropic_margin,
            given=UNITS,
        ),
        defect=None,
    ),
    Step(
        "inequality-23",
        Statement("(23): |m-k|^2/(2 beta^2) <= 1/beta^2", inequality_23_margin, given=UNITS),
        defect=None,
        note="|m-k|^2 <= |mu mu' - nu nu'|_F^2 = 2 - 2 <mu, nu>^2.",
    ),
    Step(
        "inequality-24",
        Statement(
            "(24): |mu - nu| >= sqrt(2 (1-phi))",
            inequality_24_margin,
            given=(*UNITS, Condition("|<mu, nu>| <= phi", separated_margin)),
        ),
        defect=None,
    ),
    Step(
        "phi-where-it-is-vacuous",
        Statement(
            "log K = 1/beta^2 + log 2 at phi = sqrt(1 - exp(-(2/beta^2 + log 256)/(d-1)))",
            vacuous_margin,
            given=SETTING,
        ),
        defect=None,
    ),
    Step(
        "jensen",
        Statement(
            "Jensen's inequality gives E[2 (1 - |<v^, mu>|)] >= (E min(|v^ - mu|, |v^ + mu|))^2",
            jensen_margin,
            given=LAW,
        ),
        defect=None,
        note=(
            "So the display is true: (25) holds for this distance of lines, as v^ is determined up to its sign. With "
            "|v^ - mu|, as (25) has it, the modulus would not be there."
        ),
    ),
    Step(
        "inequality-26",
        Statement(
            "(26): E|<v^, mu>| <= 1 - ((1-phi)/4) bracket^2",
            inequality_26_margin,
            given=(
                at_least("bracket", 0),
                below("phi", 1),
                Condition("2 (1 - E|<v^, mu>|) >= ((1-phi)/2) bracket^2", squared_margin),
            ),
        ),
        defect=None,
    ),
    Step(
        "data-set",
        Statement("n copies of mu have the second-moment matrix mu mu' and v_1 = mu", copies_margin, given=UNITS),
        defect=None,
    ),
    Step(
        "third-end-from-some-n-on",
        Statement(
            "for all d, epsilon and delta the third end of (22) is the largest from some n on",
            third_end_margin,
            given=(*SETTING, whole("least", 1), Condition("n is no less than that", least_margin)),
            exists=(
                Chosen(
                    "least",
                    after=("dimension", "epsilon", "delta"),
                    exhibited=records_for_third_end,
                    range=Range.WHOLE,
                ),
            ),
        ),
        defect=None,
        note="From 1/beta^2 >= log(d/2) on.",
    ),
)
