"""Staircase noise of second moments: its privacy, the balls that it is made of, and what it gains on K-norm noise."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.spec.beyond.k_norm import k_norm, one_record_margin, symmetric_margin, unit_v_margin, unit_w_margin
from dpmatrix.spec.beyond.pairs import outer
from dpmatrix.spec.common.conditions import exceeds, positive, whole


@attrs.frozen
class StairPoint:
    """A symmetric matrix, two records that stand for each other, the relation, and the width of the first step.

    Parameters
    ----------
    noise
        N, rational, shape (d, d).
    v, w
        Records of length d; one is zero where a record is added or removed.
    records
        The public divisor n.
    epsilon
        The stated epsilon.
    width
        g: the density is the same for all N of a norm up to g/n.
    adjacency
        The neighbouring relation.
    """

    noise: fmpq_mat
    v: tuple[Exact, ...]
    w: tuple[Exact, ...]
    records: int
    epsilon: Real
    width: Exact
    adjacency: Adjacency


def step(excess: arb) -> arb:
    """The least whole number k >= 0 with ``|N| - g <= k``, given the left side."""
    return excess.ceil().max(arb(0))


def stair_margin(p: StairPoint) -> arb:
    """``eps (1 - step(n |N|) + step(n |N - (vv' - ww')/n|))``: epsilon minus the log of the quotient of densities."""
    moved = p.noise - outer(p.v, p.records) + outer(p.w, p.records)
    excesses = (p.records * k_norm(matrix, p.adjacency) - rational(p.width) for matrix in (p.noise, moved))
    here, there = (step(excess) for excess in excesses)
    return ball(p.epsilon) * (1 - here + there)


STAIRCASE_PRIVACY = Claim(
    id="beyond.staircase-privacy",
    kind=Kind.PRIVACY,
    source=Locator(
        "beyond",
        "Staircase, privacy",
        "X'X/n + N, N of density prop. to exp(-k eps), k the least whole number >= 0 with n |N| <= k + g, is (eps, 0)-"
        "private; |N| = max(tr N_+, tr N_-) or |N|_*",
    ),
    statement=Statement(
        "the density of N + (vv' - ww')/n is nowhere more than e^epsilon times that of N, for the density proportional "
        "to exp(-k epsilon), k the least whole number >= 0 with n |N| <= k + g, |N| the larger of tr N_+ and tr N_- "
        "(replace-one) or their sum (add/remove-one)",
        stair_margin,
        given=(
            whole("records", 1),
            positive("epsilon"),
            exceeds("N is symmetric", symmetric_margin, strict=False),
            exceeds("|v| <= 1", unit_v_margin, strict=False),
            exceeds("|w| <= 1", unit_w_margin, strict=False),
            exceeds("under add/remove-one, v or w is zero", one_record_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "By `beyond.k-norm-privacy` n |N| changes by at most one, so k changes by at most one: with n |N| <= k + g, "
        "n |N - M| <= (k + 1) + g. Staircase noise of one number is that of Geng and Viswanath (2014), of a norm that "
        "of Kulesza, Suresh and Wang (2025), who prove that no noise that is private for every change of the unit ball "
        "has a smaller mean of a cost that grows with the norm. The changes of one record do not fill that ball for "
        "d > 1, so that some noise may cost less there."
    ),
    reading="Densities are on symmetric matrices, with respect to Lebesgue measure; n is public.",
    uses=("beyond.k-norm-privacy",),
)


@attrs.frozen
class Layers:
    """A norm t, q = e^-eps, the width g of the first step, and how many balls are added up one by one.

    Parameters
    ----------
    norm
        t.
    ratio
        q.
    width
        g.
    terms
        K.
    """

    norm: Exact
    ratio: Exact
    width: Exact
    terms: int


def layers(p: Layers) -> fmpq:
    """``(1 - q) q^k`` added up over the k < K with t <= k + g, and all that is beyond, ``q^K``."""
    q, norm, width = rational(p.ratio), rational(p.norm), rational(p.width)
    inside = (q**k for k in range(p.terms) if norm <= k + width)
    return (1 - q) * sum(inside, fmpq(0)) + q**p.terms


def passed(p: Layers) -> int:
    """How many whole numbers 0 <= k < K have ``k + g < t``: the least of K and the k with t <= k + g."""
    return sum(rational(p.norm) > k + rational(p.width) for k in range(p.terms))


def layers_margin(p: Layers) -> arb:
    """Minus the square of the distance of the sum from ``q^k``, k the step of t, or K where that is less."""
    return -arb((layers(p) - rational(p.ratio) ** passed(p)) ** 2)


@attrs.frozen
class Shells:
    """q = e^-eps, the width g of the first step, a power m of the norm, and how many steps K are added up."""

    ratio: Exact
    width: Exact
    power: int
    terms: int


def shells(p: Shells) -> fmpq:
    """``q^k ((k + g)^m - (k - 1 + g)^m)`` added up over k < K, where the first subtrahend is zero."""
    q, inner, total = rational(p.ratio), fmpq(0), fmpq(0)
    for k in range(p.terms):
        outer_power = (k + rational(p.width)) ** p.power
        total += q**k * (outer_power - inner)
        inner = outer_power
    return total


def balls(p: Shells) -> fmpq:
    """``(1 - q) S + q^K (K - 1 + g)^m``, S the sum of ``q^k (k + g)^m`` over k < K."""
    q, width = rational(p.ratio), rational(p.width)
    total = sum((q**k * (k + width) ** p.power for k in range(p.terms)), fmpq(0))
    return (1 - q) * total + q**p.terms * (p.terms - 1 + width) ** p.power


def shells_margin(p: Shells) -> arb:
    """Minus the square of the distance of the two."""
    return -arb((shells(p) - balls(p)) ** 2)


@attrs.frozen
class Widths:
    """q = e^-eps and y = e^(-eps s), for a norm t = j + s of a whole number j and 0 < s <= 1."""

    ratio: Exact
    inside: Exact
    steps: int


def over_widths(p: Widths) -> fmpq:
    """``eps`` times the integral of ``e^(-eps g) e^(-eps k)`` over the widths g from 0 to 1, k the step of t.

    For g < s it is j + 1, and ``q^(j + 1) (1 - y)`` is the integral; for larger g it is j, and ``q^j (y - q)``.
    """
    q, y = rational(p.ratio), rational(p.inside)
    return q ** (p.steps + 1) * (1 - y) + q**p.steps * (y - q)


def widths_margin(p: Widths) -> arb:
    """Minus the square of the distance from ``(1 - q) e^(-eps t)``."""
    q, y = rational(p.ratio), rational(p.inside)
    return -arb((over_widths(p) - (1 - q) * q**p.steps * y) ** 2)


STAIRCASE_NOISE = Claim(
    id="beyond.staircase-noise",
    kind=Kind.LEMMA,
    source=Locator(
        "beyond",
        "Staircase, noise",
        "a uniform point of the ball of radius k + g, P(k) prop. to e^(-k eps) (k + g)^D, has staircase noise; K-norm "
        "noise is a mixture of it",
    ),
    statement=Statement(
        "(1 - q) q^k added up over the k < K with t <= k + g, and q^K, is q^k for the least of K and the whole numbers "
        "k >= 0 with t <= k + g",
        layers_margin,
        given=(whole("terms", 0),),
    ),
    verdict=Verdict.HOLDS,
    headline=(
        "Noise that falls in steps is drawn from uniform points of balls, and for some width of the first step it "
        "costs no more than K-norm noise, for every cost whose mean exists."
    ),
    because=(
        "With q = e^-eps a ball of radius k + g has the probability q^k (k + g)^D / S_D, S_m the sum of q^k (k + g)^m "
        "over all k, and the density 1/(k + g)^D on itself, in units of the volume of the unit ball. So the density at "
        "norm t is 1/S_D times the sum of q^k over the k with t <= k + g, and by the statement, as K grows, it is "
        "q^k/((1 - q) S_D) for the step k of t.\n\n"
        "The norm t has the density m t^(m - 1) for m = D times that of its step, up to a factor. By `shells`, as K "
        "grows, the integral of m t^(m - 1) over that of the steps is (1 - q) S_m, so the mean square of the norm is "
        "D S_(D+2) / ((D + 2) S_D).\n\n"
        "By `widths` e^(-eps t) is a mixture of the densities of steps, with positive weights over the widths g. So "
        "K-norm noise is a mixture of staircase noises of the same norm, and its mean cost is a mean of theirs: one of "
        "them has no more."
    ),
    steps=(
        Step(
            "shells",
            Statement(
                "q^k ((k + g)^m - (k - 1 + g)^m) added up over k < K, without the first subtrahend, is 1 - q times the "
                "sum of q^k (k + g)^m over k < K, and q^K (K - 1 + g)^m",
                shells_margin,
                given=(whole("power", 0), whole("terms", 1)),
            ),
            defect=None,
        ),
        Step(
            "widths",
            Statement(
                "q^(j + 1) (1 - y) + q^j (y - q) is (1 - q) q^j y",
                widths_margin,
                given=(whole("steps", 0),),
            ),
            defect=None,
        ),
    ),
    reading="The norm is any norm of a space of D dimensions.",
    uses=("beyond.staircase-privacy",),
)
