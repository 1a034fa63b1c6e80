"""Section 1 and appendix C: what the exact spectral histogram property asks of a private algorithm."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Condition, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import spectral_norm
from dpmatrix.spec.sliding_window.loewner import flag, row, squared_norm
from dpmatrix.spec.sliding_window.sequences import OneOutput, largest_event, output_laws_margin
from dpmatrix.spec.sliding_window.update_lemmas import ExactRun, exact_structure


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
class ChangedRun:
    """A stream of T rows, T x d, one of which may be replaced by zero; a window, eta, and a constant c.

    Parameters
    ----------
    rows, place
        The stream, and the number of the row, counted from 1.
    window, eta
        W and eta of the algorithm.
    constant
        c.
    """

    rows: fmpq_mat
    place: int
    window: int
    eta: Exact
    constant: Exact


def first_matrix(rows: fmpq_mat, window: int, eta: Exact) -> fmpq_mat:
    """K_1 after the last row, where Algorithm 6 as repaired compares the exact matrices."""
    return exact_structure(ExactRun(rows, window, eta)).matrices[0]


def without_row(p: ChangedRun) -> fmpq_mat:
    """Return the stream with the row replaced by zero."""
    lines = p.rows.tolist()
    lines[p.place - 1] = [fmpq(0)] * p.rows.ncols()
    return fmpq_mat(lines)


def sensitivity_margin(p: ChangedRun) -> arb:
    """C minus the spectral norm of the change of K_1."""
    change = first_matrix(p.rows, p.window, p.eta) - first_matrix(without_row(p), p.window, p.eta)
    return ball(p.constant) - spectral_norm(change)


def short_row_margin(p: ChangedRun) -> arb:
    """1 minus the squared norm of the row; -1 where there is none."""
    if not 1 <= p.place <= p.rows.nrows():
        return flag(holds=False)
    return arb(1 - squared_norm(row(p.rows, p.place)))


@attrs.frozen
class StatedErrors:
    """Additive errors of Theorems 3 and 14 at full rank r = d, and a constant c.

    Parameters
    ----------
    dimension
        d.
    epsilon
        Of the guarantee.
    halvings
        g; delta = 2^-g.
    constant
        c.
    """

    dimension: int
    epsilon: Exact
    halvings: int
    constant: Exact


def exact_property_error(p: StatedErrors) -> arb:
    """``tau log tau`` of Theorem 14, tau = d + 14 log(4/delta)/epsilon^2."""
    tau = p.dimension + 14 * (p.halvings + 2) * arb(2).log() / square(ball(p.epsilon))
    return tau * tau.log()


def relaxed_error(p: StatedErrors) -> arb:
    """``d log(1/delta)^2/epsilon^2`` of Theorem 3, for r = d."""
    return p.dimension * square(p.halvings * arb(2).log()) / square(ball(p.epsilon))


def stated_errors_margin(p: StatedErrors) -> arb:
    """C times the error of Theorem 14, minus that of Theorem 3."""
    return ball(p.constant) * exact_property_error(p) - relaxed_error(p)


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
        sound=True,
        note="'Too stringent for privacy': no number is right for 0 and for 1. An additive error makes room.",
    ),
    Step(
        "sensitivity",
        Statement(
            "noise of one scale would hide a row of norm at most 1 in the output of the known algorithm: there is a "
            "constant c by which K_1 changes at most when that row is replaced by zero",
            sensitivity_margin,
            given=(
                whole("window", 1),
                positive("eta"),
                below("eta", 1),
                exceeds("the row has norm at most 1", short_row_margin, strict=False),
            ),
            exists=(Chosen("constant"),),
        ),
        sound=False,
        note="As the document says: it does not do to add noise. The row decides which checkpoint is the first, while "
        "A_W'A_W itself changes by at most 1.",
    ),
    Step(
        "stated-errors",
        Statement(
            "the exact property costs accuracy, as stated: there is a constant c with which, at r = d, the additive "
            "error of Theorem 3 is at most c times that of Theorem 14",
            stated_errors_margin,
            given=(whole("dimension", 1), positive("epsilon"), whole("halvings", 1)),
            exists=(Chosen("constant"),),
        ),
        sound=False,
        note="For small delta log(1/delta)^2 is the larger one. Appendix C proves no lower bound for what keeps the "
        "exact property: Theorem 14 is an upper one.",
    ),
)
