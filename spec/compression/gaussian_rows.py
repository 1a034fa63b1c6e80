"""Lemma 4.5: Delta_max of databases whose rows are Gaussian (section 4)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Claim, Condition, Defect, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import below, positive, whole
from dpmatrix.spec.compression.tails import diagonal_tail


@attrs.frozen
class GaussianDatabases:
    """Independent databases of n rows of law N(0, Sigma*), Sigma* with unit diagonal.

    Parameters
    ----------
    records, columns
        n and p.
    databases, doublings
        The size N of S_n is ``databases 2^doublings``.
    constant
        The constant K of O_P.
    failure
        The probability with which the bound may fail.
    """

    records: int
    columns: int
    databases: int
    constant: Exact
    failure: Exact
    doublings: int = 0


def size(p: GaussianDatabases) -> arb:
    """``N``, the size of S_n."""
    return p.databases * arb(2) ** p.doublings


def _exceeds(p: GaussianDatabases, distance: arb) -> arb:
    """Enclose Pr(max over S_n of max |Sigma_i - Sigma*| >= s): a diagonal entry of each from below, all from above.

    An entry off the diagonal exceeds s with probability at most 2 exp(-n (s - log(1 + s)) / 2), whatever Sigma* is.
    """
    one = diagonal_tail(p.records, distance)
    below_all = -(size(p) * (-one).log1p()).expm1() if one < 1 else arb(1)
    other = 2 * (-p.records * (distance - distance.log1p()) / 2).exp()
    union = size(p) * (p.columns * one + arb(fmpq(p.columns * (p.columns - 1), 2)) * other)
    return below_all.union(union.max(below_all).min(arb(1)))


def printed_rate(p: GaussianDatabases) -> arb:
    """Pr(Delta_max > K sqrt(log p / n)); Delta_max is twice the largest deviation."""
    return _exceeds(p, ball(p.constant) * (arb(p.columns).log() / p.records).sqrt() / 2)


def entry_distance(p: GaussianDatabases) -> arb:
    """``s = sqrt(20 ln(p (p + 1) N / beta) / (3 n))``."""
    many = p.columns * (p.columns + 1) * size(p) / ball(p.failure)
    return (ball(fmpq(20, 3)) * many.log() / p.records).sqrt()


def repaired_rate(p: GaussianDatabases) -> arb:
    """Pr(Delta_max > 2 s)."""
    return _exceeds(p, entry_distance(p))


def failure(p: GaussianDatabases) -> arb:
    """``beta``."""
    return ball(p.failure)


def small_distance_margin(p: GaussianDatabases) -> arb:
    """``1 - s``."""
    return 1 - entry_distance(p)


DATABASES = (
    whole("records", 1),
    whole("databases", 1),
    whole("doublings", 0),
    positive("failure"),
    below("failure", 1),
)

SEVERAL = whole("columns", 2)

LEMMA_4_5 = Claim(
    id="compression.lemma-4-5",
    kind=Kind.LEMMA,
    source=Locator(
        "compression", "Lemma 4.5", "rows N(0, Sigma*) in all X_i of S_n: Delta_max(S_n) = O_P(sqrt(log p / n))"
    ),
    statement=Statement.of_law(
        "for every beta there is a K such that Delta_max(S_n) > K sqrt(log p / n) with probability at most beta, for "
        "all n, p >= 2 and S_n",
        printed_rate,
        at_most=failure,
        given=(*DATABASES, SEVERAL),
        exists=(Chosen("constant", after=("failure",)),),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.CONCLUSION,
    headline=(
        "The rate fails for long lists of databases: with N of them it is sqrt(log(p N)/n), and the supremum over an "
        "infinite list is infinite."
    ),
    reading=(
        "The databases are independent and Sigma* has unit diagonal, as (4) has it; O_P is a constant K for each beta, "
        "the same for all n, p >= 2 and S_n, as Delta_max(S_n) is a supremum over S_n. Gaussian rows do not meet (4) "
        "itself. The probability is enclosed: one diagonal entry of each database from below, all entries from above."
    ),
    because=(
        "(5) is a supremum over S_n, a list {X_1, X_2, ...} of any length: each further independent database is "
        "another chance to exceed any bound, and an infinite list has Delta_max = infinity almost surely. At p = 1 "
        "the printed rate is 0. With N databases the rate is sqrt(log(p N) / n): 2 s with s^2 = (20/3) ln(p (p + 1) "
        "N / beta) / n, as long as s <= 1."
    ),
    repair=Repair(
        "N databases, and log(p (p + 1) N / beta) for log p",
        Statement.of_law(
            "Delta_max > 2 sqrt(20 ln(p (p + 1) N / beta) / (3 n)) with probability at most beta",
            repaired_rate,
            at_most=failure,
            given=(*DATABASES, whole("columns", 1), Condition("s <= 1", small_distance_margin)),
        ),
    ),
    uses=("compression.lemma-b-1+repair",),
)
