"""Lemma 16: sums of bounded functions of random variables that come one after another (appendix A)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import at_least, at_most, equality


@attrs.frozen
class Outcome:
    """One value z of (Z_1, ..., Z_N) with its probability, and the values f_i(z_1, ..., z_i)."""

    path: tuple[int, ...]
    probability: Exact
    values: tuple[Exact, ...]


@attrs.frozen
class Sequence:
    """Random variables with finitely many values, the bounds a_1, ..., a_N and the level t."""

    outcomes: tuple[Outcome, ...]
    bounds: tuple[Exact, ...]
    level: Exact


def total(values: tuple[Exact, ...]) -> fmpq:
    """Sum of the values."""
    return sum((rational(value) for value in values), fmpq(0))


def chance(p: Sequence) -> fmpq:
    """``P((f_1 + ... + f_N)/N > t)``."""
    level, size = rational(p.level), len(p.bounds)
    return total(tuple(z.probability for z in p.outcomes if total(z.values) / size > level))


def power_mean(p: Sequence, size: int) -> arb:
    """``E 2^(f_1 + ... + f_size)``."""
    return sum((arb(rational(z.probability)) * arb(2) ** total(z.values[:size]) for z in p.outcomes), arb(0))


def level_power(p: Sequence) -> arb:
    """``2^(-N t)``, also written exp(-N t log 2)."""
    return (-arb(len(p.bounds) * rational(p.level)) * arb(2).log()).exp()


def mean_chance(p: Sequence) -> arb:
    """``P((f_1 + ... + f_N)/N > t)``, exactly."""
    return arb(chance(p))


def lemma_16_bound(p: Sequence) -> arb:
    """``exp(-N t log 2 + a_1 + ... + a_N)``."""
    return level_power(p) * arb(total(p.bounds)).exp()


def doubled_chance(p: Sequence) -> fmpq:
    """``P(2^(f_1 + ... + f_N) > 2^(N t))``, the powers compared."""
    bar = arb(len(p.bounds) * rational(p.level))
    return total(tuple(z.probability for z in p.outcomes if arb(2) ** arb(total(z.values)) > arb(2) ** bar))


def monotone_margin(p: Sequence) -> arb:
    """P(mean > t) is ``P(2^sum > 2^(N t))``."""
    return equality(arb(chance(p) - doubled_chance(p)), arb(0))


def markov_margin(p: Sequence) -> arb:
    """``2^(-N t) E 2^(f_1 + ... + f_N) - P(mean > t)``."""
    return level_power(p) * power_mean(p, len(p.bounds)) - arb(chance(p))


def conditional(p: Sequence, place: int) -> list[fmpq]:
    """``E[f_i | Z_1, ..., Z_(i-1)]`` for each value of the condition, i - 1 = place."""
    masses: dict[tuple[int, ...], fmpq] = {}
    sums: dict[tuple[int, ...], fmpq] = {}
    for z in p.outcomes:
        prefix, mass = z.path[:place], rational(z.probability)
        masses[prefix] = masses.get(prefix, fmpq(0)) + mass
        sums[prefix] = sums.get(prefix, fmpq(0)) + mass * rational(z.values[place])
    return [sums[prefix] / mass for prefix, mass in masses.items() if mass]


def tower(p: Sequence) -> arb:
    """``E[2^(f_1 + ... + f_(N-1)) E[2^f_N | Z_1, ..., Z_(N-1)]]``, prefix by prefix."""
    last = len(p.bounds) - 1
    inner: dict[tuple[int, ...], arb] = {}
    outer = {z.path[:last]: arb(2) ** total(z.values[:last]) for z in p.outcomes}
    for z in p.outcomes:
        term = arb(rational(z.probability)) * arb(2) ** rational(z.values[last])
        inner[z.path[:last]] = inner.get(z.path[:last], arb(0)) + term
    return sum((outer[path] * value for path, value in inner.items()), arb(0))


def tower_margin(p: Sequence) -> arb:
    """``2^(-N t)`` times the double expectation minus ``2^(-N t) E 2^(f_1 + ... + f_N)``; the two are equal."""
    return level_power(p) * (tower(p) - power_mean(p, len(p.bounds)))


def one_step_margin(p: Sequence) -> arb:
    """``exp(-N t log 2 + a_N) E 2^(f_1 + ... + f_(N-1)) - P(mean > t)``."""
    last = len(p.bounds) - 1
    return level_power(p) * arb(rational(p.bounds[last])).exp() * power_mean(p, last) - arb(chance(p))


@attrs.frozen
class Exponent:
    """A number b, and an expectation a."""

    b: Real
    a: Real


def lower_power_margin(p: Exponent) -> arb:
    """``1 + b - 2^b``."""
    return 1 + ball(p.b) - (ball(p.b) * arb(2).log()).exp()


def upper_power_margin(p: Exponent) -> arb:
    """``exp(a) - (1 + a)``."""
    return ball(p.a).exp() - (1 + ball(p.a))


def sum_margin(p: Sequence) -> arb:
    """The probabilities sum to 1."""
    return equality(arb(total(tuple(z.probability for z in p.outcomes))), arb(1))


def mass_margin(p: Sequence) -> arb:
    """Least probability."""
    return arb(min(rational(z.probability) for z in p.outcomes))


def bounded_margin(p: Sequence) -> arb:
    """Least distance of a value f_i from outside [0, 1]."""
    values = [rational(value) for z in p.outcomes for value in z.values]
    return arb(min(min(value, 1 - value) for value in values))


def adapted_margin(p: Sequence) -> arb:
    """Minus the largest difference of two values f_i with the same z_1, ..., z_i."""
    worst = fmpq(0)
    for place in range(len(p.bounds)):
        seen: dict[tuple[int, ...], fmpq] = {}
        for z in p.outcomes:
            value = rational(z.values[place])
            worst = max(worst, abs(value - seen.setdefault(z.path[: place + 1], value)))
    return arb(-worst)


def expectation_margin(p: Sequence) -> arb:
    """Least ``a_i - E[f_i | Z_1, ..., Z_(i-1)]``."""
    gaps = [rational(bound) - mean for i, bound in enumerate(p.bounds) for mean in conditional(p, i)]
    return arb(min(gaps))


def length_margin(p: Sequence) -> arb:
    """``N - 1``, or -1 if an outcome has not N places or not N values of the f_i."""
    size = len(p.bounds)
    fits = all(len(z.path) == len(z.values) == size for z in p.outcomes)
    return arb(size - 1 if fits else -1)


SEQUENCE = (
    Condition("N >= 1, and every outcome has N places and N values f_i", length_margin),
    Condition("the probabilities are at least 0", mass_margin),
    Condition("the probabilities sum to 1", sum_margin),
    Condition("f_i depends on Z_1, ..., Z_i", adapted_margin),
    Condition("0 <= f_i <= 1", bounded_margin),
    Condition("E[f_i | Z_1, ..., Z_(i-1)] <= a_i", expectation_margin),
)
UNIT = (at_least("b", 0), at_most("b", 1))

LEMMA_16 = Claim(
    id="near-optimal.lemma-16",
    kind=Kind.LEMMA,
    source=Locator(
        "near-optimal",
        "Lemma 16",
        "0 <= f_i <= 1, E[f_i | Z_1..Z_(i-1)] <= a_i implies P(mean f_i > t) <= exp(-N t log 2 + sum a_i)",
    ),
    statement=Statement.of_law(
        "P((f_1 + ... + f_N)/N > t) <= exp(-N t log 2 + a_1 + ... + a_N)",
        mean_chance,
        at_most=lemma_16_bound,
        given=SEQUENCE,
    ),
    verdict=Verdict.HOLDS,
    reading="The a_i are constants. Evaluated for variables with finitely many values; the proof is for all.",
    because=(
        "Markov's inequality for 2^(f_1 + ... + f_N), and 2^b <= 1 + b <= exp(b) on [0, 1] under one conditional "
        "expectation after the other. What is proved on the way is 2^(-N t) (1 + a_1) ... (1 + a_N)."
    ),
    steps=(
        Step(
            "monotone",
            Statement("P(mean > t) = P(2^(f_1 + ... + f_N) > 2^(N t))", monotone_margin, given=SEQUENCE),
            defect=None,
        ),
        Step(
            "markov",
            Statement("P(2^sum > 2^(N t)) <= 2^(-N t) E 2^sum", markov_margin, given=SEQUENCE),
            defect=None,
        ),
        Step(
            "tower",
            Statement(
                "2^(-N t) E 2^sum <= 2^(-N t) E[2^(f_1+...+f_(N-1)) E[2^f_N | Z_1..Z_(N-1)]]",
                tower_margin,
                given=SEQUENCE,
            ),
            defect=None,
            note="An equation.",
        ),
        Step("power-of-two", Statement("2^b <= 1 + b for b in [0, 1]", lower_power_margin, given=UNIT), defect=None),
        Step("exponential", Statement("1 + a <= exp(a)", upper_power_margin), defect=None),
        Step(
            "one-step",
            Statement(
                "P(mean > t) <= exp(-N t log 2 + a_N) E 2^(f_1 + ... + f_(N-1))", one_step_margin, given=SEQUENCE
            ),
            defect=None,
        ),
    ),
)
