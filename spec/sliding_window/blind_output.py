"""Theorem 6 with line 9 of Algorithm 3 as printed: an output without any row, and the cost of its components.

The loop from 2 never updates the first sketch, and the expiry deletes it only after the second stamp has left. So
for T = W and a first row 0 the output is sigma Phi, whatever the other rows are, and its first components are those
of an isotropic Gaussian matrix: a subspace drawn uniformly.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import below, positive, whole
from dpmatrix.spec.sliding_window.combined_costs import stated_error


@attrs.frozen
class BlindOutput:
    """The stream of a row 0 and n rows e_1 in the plane, T = W = n + 1, k = 1, and the bound of Theorem 6.

    Parameters
    ----------
    repeats
        n.
    eta, epsilon, delta, failure
        eta, the guarantee and beta.
    constant
        c of the additive error.
    """

    repeats: int
    eta: Exact
    epsilon: Exact
    delta: Exact
    failure: Exact
    constant: Exact

    @property
    def k(self) -> int:
        """Rank of the projection."""
        return 1


def chance_of_bound(p: BlindOutput) -> arb:
    """``(2/pi) asin(kappa/sqrt(n))``: that a uniform line costs at most kappa, the additive error; 1 for kappa^2 >= n.

    The line at an angle t to e_1 costs sqrt(n) |sin t|, and the least cost is 0.
    """
    share = stated_error(p, 2) / arb(p.repeats).sqrt()
    return 2 * share.min(arb(1)).asin() / arb.pi()


def blind_margin(p: BlindOutput) -> arb:
    """`chance_of_bound` minus ``1 - beta``."""
    return chance_of_bound(p) - (1 - ball(p.failure))


BLIND_COST = Step(
    "accuracy-as-printed",
    Statement(
        "for all eta, eps, delta and beta there is a constant c with which, for the stream of a row 0 and n rows e_1 "
        "in the plane, T = W = n + 1 and k = 1, the lines as printed give |A_W(1-X~)|_F <= c log(1/delta)/eps sqrt(d "
        "log d (k + log(1/beta))) with probability at least 1 - beta; the least cost is 0",
        blind_margin,
        given=(
            whole("repeats", 1),
            positive("eta"),
            below("eta", fmpq(1, 2)),
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            positive("failure"),
            below("failure", 1),
        ),
        exists=(Chosen("constant", after=("eta", "epsilon", "delta", "failure")),),
    ),
    defect=Defect.SLIP,
    note="A consequence of a slip: line 9 is to begin at 1. As printed the output holds none of the rows, and X~ is "
    "drawn uniformly.",
)
