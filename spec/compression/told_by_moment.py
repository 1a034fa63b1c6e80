"""What the compressed data tell of the data beyond their second moment (section 1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.spec.common.spectra import disagreement, squared_frobenius_norm


@attrs.frozen
class TwoOutputs:
    """Two outputs of Phi X, m x p, and the covariances X'X/n of two databases, p x p."""

    output: fmpq_mat
    other: fmpq_mat
    first: fmpq_mat
    second: fmpq_mat


def told(p: TwoOutputs, output: fmpq_mat) -> fmpq:
    """What the log-likelihood ratio of the databases depends on: ``sum y'(S_2^-1 - S_1^-1)y/2`` over the rows y."""
    weight = p.second.inv() - p.first.inv()
    rows = [fmpq_mat([row]) for row in output.tolist()]
    return sum((fmpq((row * weight * row.transpose())[0, 0]) for row in rows), fmpq(0)) / 2


def more_told_margin(p: TwoOutputs) -> arb:
    """The distance of what the two outputs tell."""
    return arb(abs(told(p, p.output) - told(p, p.other)))


def same_moment_margin(p: TwoOutputs) -> arb:
    """0 exactly when both outputs have one second moment."""
    return disagreement(p.output.transpose() * p.output, p.other.transpose() * p.other)


def different_margin(p: TwoOutputs) -> arb:
    """Squared Frobenius norm of the difference of the outputs."""
    return squared_frobenius_norm(p.output - p.other)


TOLD_STEP = Step(
    "more-informative",
    Statement(
        "section 1: Phi X tells more of X than a covariance that is computed from it: two outputs with one second "
        "moment change the odds of two databases differently",
        more_told_margin,
        given=(
            Condition("the outputs have one second moment", same_moment_margin),
            Condition("the outputs differ", different_margin, strict=True),
        ),
        strict=True,
    ),
    sound=False,
    note=(
        "The perturbed covariance is read as the second moment of Phi X. It is sufficient: given it the law of Phi X "
        "is the same for all X, and who has it can draw such a Phi X. That more can be done with rows is a convenience."
    ),
)
