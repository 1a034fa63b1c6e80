"""The proof of Theorem 8, (11) to (18), each line judged on its own (section 4.3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Defect, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, at_most, equality, exceeds, positive
from dpmatrix.spec.near_optimal.databases import (
    FIRST,
    SECOND,
    FirstFamily,
    SecondFamily,
    beta,
    embedded,
    entries,
    first_database,
    last_vector,
    long_side,
    printed_second_database,
    second_moment,
    top_eigenvalue,
)
from dpmatrix.spec.near_optimal.nearby import PRIVATE, PrivateFamily, Vector, inner, largest_correlation
from dpmatrix.spec.near_optimal.private_bound_setting import CHOICE_STEPS
from dpmatrix.spec.near_optimal.two_by_two import BLOCK_STEPS


def outer(x: Vector, y: Vector, weight: fmpq) -> fmpq_mat:
    """``weight x y'``."""
    return fmpq_mat(len(x), len(y), [weight * rational(a) * rational(b) for a in x for b in y])


def largest_entry(matrix: fmpq_mat) -> fmpq:
    """Largest modulus of an entry."""
    return max(abs(entry) for entry in matrix.entries())


def printed_moment_margin(p: FirstFamily) -> arb:
    """``A = ((1-beta) m + beta/2) y y' + (beta/2) (w'y I + y w') + (beta/2) w w'``, the scalar w'y times I."""
    w, y, half = embedded(p), last_vector(p), beta(p) / 2
    size = len(y)
    scalar = fmpq_mat(size, size, [half * inner(w, y) * int(i == j) for i in range(size) for j in range(size)])
    printed = outer(y, y, entries(p)[0]) + scalar + outer(y, w, half) + outer(w, w, half)
    return -arb(largest_entry(second_moment(first_database(p)) - printed))


def block_margin(p: FirstFamily) -> arb:
    """In the basis y, w: ``A`` has the entries a, b, b, c, and no others."""
    w, y = embedded(p), last_vector(p)
    a, b, c = entries(p)
    meant = outer(y, y, a) + outer(w, y, b) + outer(y, w, b) + outer(w, w, c)
    return -arb(largest_entry(second_moment(first_database(p)) - meant))


def smaller_eigenvalue_margin(p: FirstFamily) -> arb:
    """``lambda' = (a+c)/2 - Delta/2``."""
    a, _, c = entries(p)
    return arb((a + c) / 2 - rational(p.gap) / 2)


def gap_margin(p: FirstFamily) -> arb:
    """``(a-c)^2 + 4 b^2 = m^2 (1-beta)^2 + beta^2 = Delta^2``, with m of (16)."""
    a, b, c = entries(p)
    form = (a - c) ** 2 + 4 * b * b
    expected = long_side(p) ** 2 * (1 - beta(p)) ** 2 + beta(p) ** 2
    return equality(arb(max(abs(form - expected), abs(form - rational(p.gap) ** 2))), arb(0))


def long_side_margin(p: FirstFamily) -> arb:
    """The smaller of m and 1 - m."""
    return arb(min(long_side(p), 1 - long_side(p)))


def _residual(p: FirstFamily, sign: int) -> fmpq:
    """Largest entry of ``A u - lambda u`` at ``u = b y + sign (lambda - a) w``."""
    a, b, _ = entries(p)
    size, value = len(p.w) + 1, top_eigenvalue(p)
    along = [sign * (value - a) * rational(entry) for entry in embedded(p)]
    u = fmpq_mat(size, 1, [b * rational(y) + x for y, x in zip(last_vector(p), along, strict=True)])
    return largest_entry(second_moment(first_database(p)) * u - u * value)


def printed_eigenvector_margin(p: FirstFamily) -> arb:
    """``A u = lambda u`` at ``u = b y + (a - lambda) w``."""
    return -arb(_residual(p, -1))


def eigenvector_margin(p: FirstFamily) -> arb:
    """``A u = lambda u`` at ``u = b y + (lambda - a) w``."""
    return -arb(_residual(p, 1))


def ratio_margin(p: FirstFamily) -> arb:
    """``lambda - a = b^2/(lambda - c)``, multiplied out."""
    a, b, c = entries(p)
    value = top_eigenvalue(p)
    return equality(arb((value - a) * (value - c) - b * b), arb(0))


def difference_margin(p: FirstFamily) -> arb:
    """``lambda - c = (a-c)/2 + Delta/2 = ((1-beta) m + Delta)/2``."""
    a, _, c = entries(p)
    left, gap = top_eigenvalue(p) - c, rational(p.gap)
    middle, right = (a - c) / 2 + gap / 2, ((1 - beta(p)) * long_side(p) + gap) / 2
    return equality(arb(max(abs(left - middle), abs(left - right))), arb(0))


def square_margin(p: FirstFamily) -> arb:
    """``(lambda - a)^2 - beta^4/(4 ((1-beta) m + Delta)^2)``."""
    a, _, _ = entries(p)
    total = (1 - beta(p)) * long_side(p) + rational(p.gap)
    return arb((top_eigenvalue(p) - a) ** 2 - beta(p) ** 4 / (4 * total * total))


def weight(p: FirstFamily) -> fmpq:
    """``(a - lambda)^2/(b^2 + (a - lambda)^2)``."""
    a, b, _ = entries(p)
    square = (a - top_eigenvalue(p)) ** 2
    return square / (b * b + square)


def weight_form_margin(p: FirstFamily) -> arb:
    """The weight is ``beta^2/(beta^2 + ((1-beta) m + Delta)^2)``."""
    total = (1 - beta(p)) * long_side(p) + rational(p.gap)
    return equality(arb(weight(p) - beta(p) ** 2 / (beta(p) ** 2 + total * total)), arb(0))


def inequality_18_margin(p: FirstFamily) -> arb:
    """The weight minus ``beta^2/(5 Delta^2)``."""
    return arb(weight(p) - beta(p) ** 2 / (5 * rational(p.gap) ** 2))


@attrs.frozen
class Rotated:
    """The weight q of w in the top eigenvector, the inner product of w_i and w_j, and phi."""

    weight: Exact
    inner: Exact
    phi: Exact


def inequality_17_margin(p: Rotated) -> arb:
    """``1 - q (1-phi) - |1 - q + q <w_i, w_j>|``."""
    q = rational(p.weight)
    return arb(1 - q * (1 - rational(p.phi)) - abs(1 - q + q * rational(p.inner)))


def within_margin(p: Rotated) -> arb:
    """``phi - |<w_i, w_j>|``."""
    return arb(rational(p.phi) - abs(rational(p.inner)))


@attrs.frozen
class Fractions:
    """Numbers 0 <= low <= high, and v > 0."""

    low: Exact
    high: Exact
    v: Exact


def monotone_margin(p: Fractions) -> arb:
    """``high/(v + high) - low/(v + low)``."""
    low, high, v = rational(p.low), rational(p.high), rational(p.v)
    return arb(high / (v + high) - low / (v + low))


def order_margin(p: Fractions) -> arb:
    """``high - low``."""
    return arb(rational(p.high) - rational(p.low))


def second_gap_margin(p: SecondFamily) -> arb:
    """``beta (Delta/beta) = Delta`` is the eigengap: w'Aw of the printed database, the only eigenvalue but 0."""
    moment = second_moment(printed_second_database(p))
    top = sum((moment[i, i] for i in range(len(p.w))), fmpq(0))
    return equality(arb(top - rational(p.gap)), arb(0))


def inequality_14_margin(p: PrivateFamily) -> arb:
    """``1 - (1 - max)/16`` minus the least of the expected correlations."""
    each = [
        sum((rational(q) * abs(inner(x, u)) for x, q in zip(p.outputs, row, strict=True)), fmpq(0))
        for u, row in zip(p.eigenvectors, p.probabilities, strict=True)
    ]
    return arb(1 - (1 - largest_correlation(p)) / 16 - min(each))


PROOF = (
    *BLOCK_STEPS,
    Step(
        "inequality-14",
        Statement("(14): some database has E|<A(D_i), u_i>| <= 1 - (1 - max)/16", inequality_14_margin, given=PRIVATE),
        defect=None,
    ),
    *CHOICE_STEPS,
    Step(
        "second-moment",
        Statement(
            "A = ((1-beta) m + beta/2) yy' + (beta/2)(w'y + y w') + (beta/2) ww'", printed_moment_margin, given=FIRST
        ),
        defect=Defect.SLIP,
        note="w y' + y w' is meant; w'y is the number 0.",
    ),
    Step("block", Statement("A is [[a, b], [b, c]] in the basis y, w", block_margin, given=FIRST), defect=None),
    Step(
        "two-eigenvalues",
        Statement("(15): A has two eigenvalues that are not 0", smaller_eigenvalue_margin, given=FIRST, strict=True),
        defect=Defect.REMARK,
        note="At beta = Delta, m = 0 and there is one.",
    ),
    Step(
        "gap",
        Statement("Delta = sqrt((a-c)^2 + 4 b^2) = sqrt(m^2 (1-beta)^2 + beta^2), m of (16)", gap_margin, given=FIRST),
        defect=None,
    ),
    Step("long-side", Statement("0 <= m <= 1", long_side_margin, given=FIRST), defect=None),
    Step(
        "eigenvector",
        Statement("u_i is along b y + (a - l) w_i", printed_eigenvector_margin, given=FIRST),
        defect=Defect.SLIP,
        note="The sign: b y + (l - a) w_i. (17) is not touched, as the square of a - l enters.",
    ),
    Step(
        "mended-eigenvector", Statement("u_i is along b y + (l - a) w_i", eigenvector_margin, given=FIRST), defect=None
    ),
    Step(
        "inequality-17",
        Statement(
            "(17): |<u_i, u_j>| = |1 - q + q <w_i, w_j>| <= 1 - q (1-phi), q = (a-l)^2/(b^2 + (a-l)^2)",
            inequality_17_margin,
            given=(
                at_least("weight", 0),
                at_most("weight", 1),
                Condition("|<w_i, w_j>| <= phi", within_margin),
            ),
        ),
        defect=None,
    ),
    Step(
        "monotone",
        Statement(
            "x/(v + x) increases with x",
            monotone_margin,
            given=(at_least("low", 0), positive("v"), exceeds("low <= high", order_margin, strict=False)),
        ),
        defect=None,
    ),
    Step("ratio", Statement("l - a = b^2/(l - c)", ratio_margin, given=FIRST), defect=None),
    Step("difference", Statement("l - c = ((1-beta) m + Delta)/2", difference_margin, given=FIRST), defect=None),
    Step(
        "square-of-the-difference",
        Statement("(l - a)^2 > beta^4/(4 ((1-beta) m + Delta)^2)", square_margin, given=FIRST, strict=True),
        defect=Defect.SLIP,
        note="An equation.",
    ),
    Step(
        "weight",
        Statement(
            "(a-l)^2/(b^2 + (a-l)^2) = beta^2/(beta^2 + ((1-beta) m + Delta)^2)", weight_form_margin, given=FIRST
        ),
        defect=None,
        note="Printed with > in its first line.",
    ),
    Step(
        "inequality-18",
        Statement("(18): the weight exceeds beta^2/(5 Delta^2)", inequality_18_margin, given=FIRST, strict=True),
        defect=None,
        note="4 for 5 is true: ((1-beta) m + Delta)^2 + beta^2 = 2 Delta^2 + 2 Delta sqrt(Delta^2 - beta^2).",
    ),
    Step(
        "gap-of-the-second-family",
        Statement(
            "n beta copies of (Delta/beta) w_i and zeros have the eigengap Delta", second_gap_margin, given=SECOND
        ),
        defect=Defect.SLIP,
        note="Their second moment is (Delta^2/beta) ww'; copies of sqrt(Delta/beta) w_i are meant.",
    ),
)
