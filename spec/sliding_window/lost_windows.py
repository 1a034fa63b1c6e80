"""The accuracy of Theorems 17 and 18: what the lines as stated lose of a window of two equal rows (appendix D)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball, square
from dpmatrix.privacy.profiles.incomplete_gamma import upper_tail
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.wishart_window import WishartParameters, line_6, printed_degrees


@attrs.frozen
class LostWindow(WishartParameters):
    """The stream of two rows M e_1, W = T = 2, and the constant c of the stated error."""

    constant: Exact = 1


def stated_error(p: LostWindow, factor: arb) -> arb:
    """``c tau log tau`` for tau = (d + 14 log(1/delta)/epsilon^2) times a factor in W."""
    tau = printed_degrees(p) * factor
    return ball(p.constant) * tau * tau.log()


def enough_noise(p: LostWindow, error: arb) -> arb:
    """Bound on the probability that e_1'C~ e_1 is 2 M^2 - error at least: twice Pr(chi^2_tau >= M^2 - error).

    The loop of line 9 begins with the second pair, so that either stored matrix has one of the rows only, and noise.
    """
    lost = square(ball(p.row)) - error
    return 2 * upper_tail(lost / 2, arb(p.degrees) / 2) if lost > 0 else arb(2)


def logarithmic_loss(p: LostWindow) -> arb:
    """`enough_noise` minus 1/2, with ``log^(3/2) W``."""
    logarithm = arb(2).log()
    return enough_noise(p, stated_error(p, logarithm * logarithm.sqrt())) - arb(1) / 2


def power_loss(p: LostWindow) -> arb:
    """`enough_noise` minus 1/2, with ``W^(3/4)``."""
    return enough_noise(p, stated_error(p, arb(8).sqrt().sqrt())) - arb(1) / 2


LOST = (
    whole("dimension", 2),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    whole("degrees", 1),
    at_least("row", 0),
    exceeds("tau >= floor(d + 14 log(1/delta)/eps^2)", line_6),
)
SAYS = (
    "there is a constant c with which, for two rows M e_1, W = T = 2, d >= 2 and the lines as stated, A_W'A_W - c tau "
    "log tau <= C~ has probability 1/2 at least, tau with the factor "
)
BOUND = ": an upper bound of it stands in the margin, so that only a negative one tells"
NOTE = (
    "1 - 1/poly(d) is 1/2 at least for d >= 2. The first pair is never updated, and C~ lacks one of the rows; the tree "
    "of the text is another algorithm."
)

LOGARITHMIC_ACCURACY = Step(
    "item-2",
    Statement(f"{SAYS}log^(3/2) W{BOUND}", logarithmic_loss, given=LOST, exists=(Chosen("constant"),), one_sided=True),
    sound=False,
    note=NOTE,
)
POWER_ACCURACY = Step(
    "item-2",
    Statement(f"{SAYS}W^(3/4){BOUND}", power_loss, given=LOST, exists=(Chosen("constant"),), one_sided=True),
    sound=False,
    note=NOTE,
)
