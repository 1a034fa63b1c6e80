"""The errors of section 1.2: the bound of the informal Theorem 1, which no private answer meets."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, ball, square
from dpmatrix.spec.common.conditions import at_least, below, positive, whole
from dpmatrix.spec.sliding_window.distinguishing import confusion


@attrs.frozen
class InformalAnswers:
    """Streams that are zero but for M e_1 or (M + 1) e_1, and matrices that meet the bounds of the informal theorem.

    Parameters
    ----------
    dimension
        d.
    epsilon, delta
        The guarantee.
    eta
        eta in (0, 1).
    row
        M >= 0.
    constant
        c in nu = c d log(1/delta)^2/epsilon^2.
    failure
        Probability with which a matrix may miss its bounds; the theorem allows none.
    """

    dimension: int
    epsilon: Exact
    delta: Exact
    eta: Exact
    row: Exact
    constant: Exact
    failure: Exact = 0


def level(p: InformalAnswers) -> arb:
    """``nu = c d log(1/delta)^2 / epsilon^2``."""
    return ball(p.constant) * p.dimension * square(ball(p.delta).log()) / square(ball(p.epsilon))


def common_answer(p: InformalAnswers) -> arb:
    """Largest e_1'S e_1 that is right for M e_1, minus the least one that is right for (M + 1) e_1."""
    extra = level(p) * level(p).log()
    largest = (1 + ball(p.eta)) * square(ball(p.row)) + extra
    least = (1 - ball(p.eta)) * square(ball(p.row) + 1) - extra
    return largest - least


def some_private_answer(p: InformalAnswers) -> arb:
    """Larger of `common_answer` and `confusion`."""
    return common_answer(p).max(confusion(p))


GUARANTEE = (whole("dimension", 1), positive("epsilon"), positive("delta"), below("delta", 1))

INFORMAL_ERROR = Step(
    "informal-error",
    Statement(
        "Theorem 1 (informal): there is a constant c with which, for the streams of W >= M rows that are zero but for "
        "M e_1 or (M + 1) e_1, some S is between (1 -+ eta) A_W'A_W -+ nu log nu on both, nu = c d log(1/delta)^2/"
        "eps^2, or answers that fail with probability beta are rare enough for an (eps, delta)-private algorithm: "
        "1 - beta <= e^eps beta + delta",
        some_private_answer,
        given=(
            *GUARANTEE,
            positive("eta"),
            below("eta", 1),
            at_least("row", 0),
            at_least("failure", 0),
        ),
        exists=(Chosen("constant"),),
    ),
    defect=Defect.CONCLUSION,
    note="Rows of any length, as in section 1.1: at eta = 1/(M^2 + 1) no S is right for both once M is large, "
    "whatever the algorithm is. Lengths may be polynomially bounded: W is M or more.",
)
