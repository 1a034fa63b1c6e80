"""Section 1 and appendix C: what the exact spectral histogram property asks of a private algorithm."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, at_most, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.sequences import OneOutput, largest_event, output_laws_margin
from dpmatrix.spec.sliding_window.update_lemmas import ExactRun, exact_structure

HALF = fmpq(1, 2)


@attrs.frozen
class ExactOutputs(OneOutput):
    """Laws of an output K_1, a number from a finite set, on the streams (0) and (1) of one row; E = e^epsilon.

    Parameters
    ----------
    values
        The outputs.
    delta, eta
        Delta of the guarantee, and eta of the property.
    """

    values: tuple[fmpq, ...]
    delta: Exact
    eta: Exact


def right_mass(law: tuple[fmpq, ...], p: ExactOutputs, moment: int) -> fmpq:
    """Probability of (1 - eta) K_1 <= A_W'A_W <= K_1."""
    share = 1 - rational(p.eta)
    pairs = zip(law, p.values, strict=True)
    return sum((mass for mass, value in pairs if share * value <= moment <= value), fmpq(0))


def exact_output_margin(p: ExactOutputs) -> arb:
    """``E beta_1 + delta - (1 - beta_0)``, beta_0 and beta_1 the probabilities of failure on (0) and on (1)."""
    failure = 1 - right_mass(p.second, p, 1)
    return arb(rational(p.exponential) * failure + rational(p.delta) - right_mass(p.first, p, 0))


def private_margin(p: ExactOutputs) -> arb:
    """Delta minus the largest ``P(S) - E Q(S)``."""
    return arb(rational(p.delta) - largest_event(p))


@attrs.frozen
class ShortRow:
    """The stream of the five rows M, y, M, 0, 0 with W = 4 and eta = 1/2, in which y may be replaced by zero."""

    length: Exact
    short: Exact


def stream(length: fmpq, short: fmpq) -> fmpq_mat:
    """Return the rows M, y, M, 0, 0."""
    return fmpq_mat([[length], [short], [length], [fmpq(0)], [fmpq(0)]])


def first_moment(rows: fmpq_mat) -> fmpq:
    """K_1 after the last row, where Algorithm 6 as repaired compares the exact matrices."""
    return exact_structure(ExactRun(rows, 4, HALF)).matrices[0][0, 0]


def window_moment(rows: fmpq_mat) -> fmpq:
    """A_W'A_W after the last row, W = 4."""
    return sum((rows[index, 0] ** 2 for index in range(1, 5)), fmpq(0))


def sensitivity_margin(p: ShortRow) -> arb:
    """Least of ``|change of K_1| - (M^2 - 1)`` and ``1 - |change of A_W'A_W|``."""
    length, short = rational(p.length), rational(p.short)
    whole_stream, other = stream(length, short), stream(length, fmpq(0))
    change = abs(first_moment(whole_stream) - first_moment(other))
    moved = abs(window_moment(whole_stream) - window_moment(other))
    return arb(min(change - (length**2 - 1), 1 - moved))


@attrs.frozen
class StatedErrors:
    """Additive errors of Theorems 3 and 14 in d dimensions.

    Parameters
    ----------
    dimension
        d.
    rank
        r of Theorem 3.
    epsilon
        Of the guarantee.
    halvings
        g; delta = 2^-g.
    """

    dimension: int
    rank: int
    epsilon: Exact
    halvings: int


def exact_property_error(p: StatedErrors) -> arb:
    """``tau log tau`` of Theorem 14, tau = d + 14 log(4/delta)/epsilon^2."""
    tau = p.dimension + 14 * (p.halvings + 2) * arb(2).log() / square(ball(p.epsilon))
    return tau * tau.log()


def relaxed_error(p: StatedErrors) -> arb:
    """``r log(1/delta)^2/epsilon^2`` of Theorem 3."""
    return p.rank * square(p.halvings * arb(2).log()) / square(ball(p.epsilon))


def stated_errors_margin(p: StatedErrors) -> arb:
    """The error of Theorem 14 minus that of Theorem 3."""
    return exact_property_error(p) - relaxed_error(p)


def many_dimensions(p: StatedErrors) -> arb:
    """``d log d`` minus the error of Theorem 3."""
    return p.dimension * arb(p.dimension).log() - relaxed_error(p)


EXACT_OUTPUTS = (
    Step(
        "exact-outputs",
        Statement(
            "a private output K_1 has (1 - eta) K_1 <= A_W'A_W <= K_1, as the exact property gives, on the streams (0) "
            "and (1) of one row only with 1 - beta_0 <= e^eps beta_1 + delta, beta_0 and beta_1 its failures",
            exact_output_margin,
            given=(
                Condition("both are probability laws", output_laws_margin),
                at_least("exponential", 1),
                below("eta", 1),
                exceeds("P(S) <= E Q(S) + delta for every S", private_margin, strict=False),
            ),
        ),
        defect=None,
        note="'Too stringent for privacy': no number is right for 0 and for 1. An additive error makes room.",
    ),
    Step(
        "sensitivity",
        Statement(
            "the output of the known algorithm may depend on one row far more than A_W'A_W does: with W = 4 and eta = "
            "1/2, where the row y of M, y, M, 0, 0 is replaced by zero, K_1 changes by M^2 - 1 at least and A_W'A_W by "
            "1 at most, for 0 < y <= 1 and every M",
            sensitivity_margin,
            given=(positive("short"), at_most("short", 1)),
        ),
        defect=None,
        note="The row decides which checkpoint is the first, and no noise of one scale hides a change of any size.",
    ),
    Step(
        "stated-errors",
        Statement(
            "the exact property costs accuracy, as stated: the additive error of Theorem 3 has no d at fixed r, and "
            "that of Theorem 14 is larger as soon as d log d reaches it",
            stated_errors_margin,
            given=(
                whole("dimension", 1),
                whole("rank", 1),
                positive("epsilon"),
                whole("halvings", 1),
                exceeds("d log d >= r log(1/delta)^2/epsilon^2", many_dimensions, strict=False),
            ),
            strict=True,
        ),
        defect=None,
        note="At r = d and small delta Theorem 3 states the larger one. Appendix C proves no lower bound for what "
        "keeps the exact property: Theorem 14 is an upper one, so that what the property permits is not shown there.",
    ),
)
