"""The accuracy of Theorems 17 and 18: the noise of a window in the tree, and that of sub-windows (appendix D)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.eigenvalue_laws import wishart_within
from dpmatrix.spec.sliding_window.loewner import flag


@attrs.frozen
class TreeWindow:
    """A window of W rows in the tree, each of whose nodes has the noise of line 6, and a bound on its noise.

    Parameters
    ----------
    dimension, epsilon, delta
        d, and the guarantee of one node.
    degrees
        tau_0, the degrees of freedom of one node.
    window, nodes
        W, and the number of disjoint nodes that make it.
    power, constant
        k of the failure probability d^-k, and c of the bound.
    """

    dimension: int
    epsilon: Exact
    delta: Exact
    degrees: int
    window: int
    nodes: int
    power: int
    constant: Exact


def line_6(dimension: int, epsilon: Exact, delta: Exact) -> arb:
    """``d + 14 log(1/delta)/epsilon^2``."""
    return dimension - 14 * ball(delta).log() / square(ball(epsilon))


def tree_bound(p: TreeWindow) -> arb:
    """``c tau log tau``, tau = (d + 14 log(1/delta)/epsilon^2) log^(3/2) W."""
    logarithm = arb(p.window).log()
    tau = line_6(p.dimension, p.epsilon, p.delta) * logarithm * logarithm.sqrt()
    return ball(p.constant) * tau * tau.log()


def larger_noise(p: TreeWindow) -> arb:
    """Probability that the largest eigenvalue of Wis_d(m tau_0, 1), the noise of m nodes, exceeds the bound."""
    return 1 - wishart_within(p.dimension, p.nodes * p.degrees, 0, tree_bound(p))


def rare(p: TreeWindow) -> arb:
    """``d^-k``."""
    return arb(p.dimension) ** -p.power


def tree_constant(power: int) -> int:
    """``396 (1 + k)``."""
    return 396 * (1 + power)


def integer_part(p: TreeWindow) -> arb:
    """Non-negative when tau_0 is the integer part of ``d + 14 log(1/delta)/epsilon^2``."""
    least = line_6(p.dimension, p.epsilon, p.delta)
    return (least - p.degrees).min(p.degrees + 1 - least)


def cover_margin(p: TreeWindow) -> arb:
    """``2h + 1 - m``, h the integer with 2^(h-1) < W <= 2^h."""
    return arb(2 * (p.window - 1).bit_length() + 1 - p.nodes)


@attrs.frozen
class SubWindows:
    """A window that sqrt(W) sub-windows of sqrt(W) rows partition, in one direction u of norm 1.

    Parameters
    ----------
    dimension, epsilon, delta
        d and the guarantee.
    eta, constant
        eta, and c of both bounds.
    sums, outputs
        For each sub-window |A_j u|^2 and u'C~_j u.
    """

    dimension: int
    epsilon: Exact
    delta: Exact
    eta: Exact
    constant: Exact
    sums: tuple[Exact, ...]
    outputs: tuple[Exact, ...]


def stated_error(p: SubWindows, growth: arb) -> arb:
    """``c tau log tau``, tau = (d + 14 log(1/delta)/epsilon^2) times a growth."""
    tau = line_6(p.dimension, p.epsilon, p.delta) * growth
    return ball(p.constant) * tau * tau.log()


def power_growth(p: SubWindows) -> arb:
    """``W^(3/4)``, W the square of the number of sub-windows."""
    return arb(len(p.sums)) * arb(len(p.sums)).sqrt()


def _slack(p: SubWindows, exact: Exact, output: Exact, error: arb) -> arb:
    low = arb(rational(output) - rational(exact)) + error
    return low.min(arb(rational(exact) / (1 - rational(p.eta)) - rational(output)) + error)


def sum_margin(p: SubWindows) -> arb:
    """Slack of both bounds for the sum of the outputs, with W^(3/4)."""
    exact, output = (sum((rational(one) for one in some), rational(0)) for some in (p.sums, p.outputs))
    return _slack(p, exact, output, stated_error(p, power_growth(p)))


def each_margin(p: SubWindows) -> arb:
    """Least slack of both bounds for one of the sub-windows; -1 if there is not one output for each."""
    if not p.sums or len(p.sums) != len(p.outputs):
        return flag(holds=False)
    error = stated_error(p, arb(1))
    pairs = zip(p.sums, p.outputs, strict=True)
    return min((_slack(p, exact, output, error) for exact, output in pairs), key=arb.mid)


GUARANTEE = (positive("epsilon"), positive("delta"), below("delta", 1))

TREE_ACCURACY = Step(
    "item-2",
    Statement.of_law(
        "in the tree a window of W rows is m <= 2h + 1 disjoint nodes, 2^(h-1) < W <= 2^h: for each k there is a c "
        "with which their noise, Wis_d(m tau_0, 1), tau_0 the integer part of d + 14 log(1/delta)/eps^2, is at most c "
        "tau log tau but for probability d^-k, tau = (d + 14 log(1/delta)/eps^2) log^(3/2) W; it is semidefinite, so "
        "that A_W'A_W <= C~",
        larger_noise,
        at_most=rare,
        given=(
            whole("dimension", 2),
            *GUARANTEE,
            whole("degrees", 1),
            whole("window", 2),
            whole("nodes", 1),
            whole("power", 0),
            exceeds("tau_0 is the integer part of d + 14 log(1/delta)/eps^2", integer_part, strict=False),
            exceeds("m <= 2h + 1", cover_margin, strict=False),
        ),
        exists=(Chosen("constant", after=("power",), exhibited=tree_constant),),
    ),
    defect=None,
    note="As the construction of appendix D has it. Item 1 names Algorithm 8; its lines as stated lose a row. The tail "
    "of lambda_1 is cited, as for equation-37.",
)
SUM_ACCURACY = Step(
    "item-2",
    Statement(
        "if each of sqrt(W) sub-windows has the bounds of Theorem 14, with c tau_0 log tau_0, so has their sum, with "
        "c tau log tau for tau = tau_0 W^(3/4), tau_0 = d + 14 log(1/delta)/eps^2, in each direction",
        sum_margin,
        given=(
            whole("dimension", 1),
            *GUARANTEE,
            at_least("eta", 0),
            below("eta", 1),
            at_least("constant", 0),
            exceeds("each sub-window has its bounds", each_margin, strict=False),
        ),
    ),
    defect=None,
    note="tau_0 is that of line 6. Item 2 of Theorem 14 is judged there.",
)


@attrs.frozen
class WindowSize:
    """W and a constant c."""

    window: int
    constant: Exact


def logarithmic_margin(p: WindowSize) -> arb:
    """``c log W - W^(3/4)``, the announced growth of the error against the one of the theorem."""
    return ball(p.constant) * arb(p.window).log() - arb(p.window).sqrt() * arb(p.window).sqrt().sqrt()


LOGARITHMIC_LOSS = Step(
    "logarithmic-loss",
    Statement(
        "there is a constant c with W^(3/4) <= c log W for every W",
        logarithmic_margin,
        given=(whole("window", 2),),
        exists=(Chosen("constant"),),
    ),
    defect=Defect.REMARK,
    note="The error is announced to grow like log W, and W^(3/4) exceeds c log W for every c.",
)
