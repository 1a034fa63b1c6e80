"""How far apart the laws of Phi X are for neighbours in the binary game, without truncation: total variation."""

from __future__ import annotations

from flint import arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.spec.compression.covariances import inverse_difference, operator_norm
from dpmatrix.spec.compression.truncated_loss import TruncatedPair


def affinity(p: TruncatedPair) -> arb:
    """``int sqrt(f_1 f_2)`` of m rows: ``(|Sigma_1| |Sigma_2|/|(Sigma_1 + Sigma_2)/2|^2)^(m/4)``."""
    middle = ((p.first + p.second) / 2).det()
    share = arb(p.first.det() * p.second.det() / (middle * middle))
    return (share.log() * p.rows / 4).exp()


def total_variation(p: TruncatedPair) -> arb:
    """Enclose the total variation of two laws of affinity b: at least 1 - b, and at most sqrt(1 - b^2)."""
    near = affinity(p)
    return (1 - near).union((1 - near * near).max(arb(0)).sqrt())


def distance_bound(p: TruncatedPair) -> arb:
    """``(1/2) sqrt(m p ||Gamma||_2/n)``."""
    reach = fmpq(p.rows * p.first.nrows(), p.records)
    return (reach * operator_norm(inverse_difference(p))).sqrt() / 2


def rare_outputs(given: tuple[Condition, ...]) -> Step:
    """Build the step of Theorem D.2, under what makes two covariances those of neighbours."""
    return Step(
        "rare-outputs",
        Statement.of_law(
            "the laws of Phi X of neighbours, without truncation, have a total variation of at most (1/2) sqrt(m p "
            "||Gamma||_2/n)",
            total_variation,
            at_most=distance_bound,
            given=given,
        ),
        defect=None,
        note=(
            "Under Assumption 1 and p <= s sqrt(n/m) it is at most s^(3/2)/2. So what neighbours tell apart they tell "
            "at rare outputs; truncation and renormalisation add at most 2/n^2."
        ),
    )
