"""The printed proof of Theorem 6, each line judged on its own, and what takes its place for k > 1 (section 4.1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Defect, Statement, Step
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import equality, positive, whole
from dpmatrix.spec.wishart.sensitivity import UNIT_BALL, RecordPair, nuclear_norm


@attrs.frozen
class PpcaPair(RecordPair):
    """A record v of norm at most 1 and the record w that replaces it, under PPCA with density exp(n (eps/2) tr V'AV).

    Parameters
    ----------
    dimension, rank
        Dimension d and the number k <= d of columns of V.
    epsilon
        Privacy parameter.
    """

    dimension: int
    rank: int
    epsilon: Real


def score_range(p: PpcaPair) -> arb:
    """Largest minus smallest ``tr V'(vv' - ww')V``: the two non-zero eigenvalues have opposite signs; 0 for k = d."""
    return nuclear_norm(p) if p.rank < p.dimension else arb(0)


def range_margin(p: PpcaPair) -> arb:
    """``eps`` minus ``eps/2`` times the range."""
    return ball(p.epsilon) * (1 - score_range(p) / 2)


def one_column_margin(p: PpcaPair) -> arb:
    """``k = 1``: the printed proof maximises over v in the unit sphere."""
    return equality(arb(p.rank), arb(1))


def rank_margin(p: PpcaPair) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.rank)


SETTING = (
    whole("dimension", 1),
    whole("rank", 1),
    Condition("k <= d", rank_margin),
    positive("epsilon"),
    *UNIT_BALL,
)


@attrs.frozen
class Neighbours:
    """Data matrices X and X', records in columns."""

    data: fmpq_mat
    neighbour: fmpq_mat


def changed_columns(p: Neighbours) -> list[int]:
    """The columns in which matrices of one shape differ."""
    rows, columns = p.data.nrows(), p.data.ncols()
    return [j for j in range(columns) if any(p.data[i, j] != p.neighbour[i, j] for i in range(rows))]


def shape_margin(p: Neighbours) -> arb:
    """The smaller of d - 1 and n - 1 for matrices of one shape, else -1."""
    rows, columns = p.data.nrows(), p.data.ncols()
    same = (rows, columns) == (p.neighbour.nrows(), p.neighbour.ncols())
    return arb(min(rows, columns) - 1 if same else -1)


SAME_SHAPE = Condition("X and X' have one shape, d, n >= 1", shape_margin)


@attrs.frozen
class ScoreChange(Neighbours):
    """The same with an output v."""

    output: tuple[Exact, ...]


def products(matrix: fmpq_mat, output: tuple[Exact, ...]) -> list[fmpq]:
    """The inner products of v with the records."""
    column = fmpq_mat(len(output), 1, [rational(entry) for entry in output])
    return list((matrix.transpose() * column).entries())


def score_difference_margin(p: ScoreChange) -> arb:
    """``n v'A'v - n v'Av = <v, x'_n>^2 - <v, x_n>^2``."""
    column = fmpq_mat(len(p.output), 1, [rational(entry) for entry in p.output])
    change = p.neighbour * p.neighbour.transpose() - p.data * p.data.transpose()
    old, new = products(p.data, p.output)[-1], products(p.neighbour, p.output)[-1]
    return equality(arb((column.transpose() * change * column)[0, 0] - (new * new - old * old)), arb(0))


def last_record_margin(p: ScoreChange) -> arb:
    """Minus the number of records but the last in which the data differ."""
    return arb(-len([j for j in changed_columns(p) if j != p.data.ncols() - 1]))


def output_margin(p: ScoreChange) -> arb:
    """Minus the difference of d and the length of v."""
    return arb(-abs(p.data.nrows() - len(p.output)))


@attrs.frozen
class Products:
    """The inner products <v, x_n> and <v, x'_n>."""

    old: Exact
    new: Exact


def score_bound_margin(p: Products) -> arb:
    """``1 - |<v, x'_n>^2 - <v, x_n>^2|``."""
    return 1 - abs(arb(rational(p.new) * rational(p.new) - rational(p.old) * rational(p.old)))


def old_margin(p: Products) -> arb:
    """``1 - <v, x_n>^2``."""
    return 1 - arb(rational(p.old) * rational(p.old))


def new_margin(p: Products) -> arb:
    """``1 - <v, x'_n>^2``."""
    return 1 - arb(rational(p.new) * rational(p.new))


@attrs.frozen
class FiniteMechanism:
    """The exponential mechanism with probabilities proportional to exp(eps q/2), on two data sets.

    Parameters
    ----------
    before, after
        The scores of the outputs.
    epsilon
        Privacy parameter.
    """

    before: tuple[Exact, ...]
    after: tuple[Exact, ...]
    epsilon: Exact


def log_total(scores: tuple[Exact, ...], epsilon: Exact) -> arb:
    """Log of the sum of ``exp(eps q/2)``."""
    return sum(((ball(epsilon) * ball(score) / 2).exp() for score in scores), arb(0)).log()


def mechanism_loss(p: FiniteMechanism) -> arb:
    """The largest log-ratio of the probabilities of an output."""
    gains = [ball(p.epsilon) * (ball(a) - ball(b)) / 2 for a, b in zip(p.before, p.after, strict=True)]
    largest = gains[0]
    for gain in gains[1:]:
        largest = largest.max(gain)
    return largest - log_total(p.before, p.epsilon) + log_total(p.after, p.epsilon)


def outputs_margin(p: FiniteMechanism) -> arb:
    """One less than the number of outputs; -1 if the two numbers differ."""
    return arb(len(p.before) - 1 if len(p.before) == len(p.after) else -1)


def sensitivity_margin(p: FiniteMechanism) -> arb:
    """One minus the largest change of a score."""
    pairs = zip(p.before, p.after, strict=True)
    return arb(1 - max(abs(rational(a) - rational(b)) for a, b in pairs))


def promised_loss(p: FiniteMechanism) -> arb:
    """``eps``."""
    return ball(p.epsilon)


WITHIN_ONE = (Condition("|<v, x_n>| <= 1", old_margin), Condition("|<v, x'_n>| <= 1", new_margin))

PROOF = (
    Step(
        "one-column",
        Statement("the output of PPCA is a unit vector", one_column_margin, given=SETTING),
        defect=Defect.FORMULA,
        note="Only for k = 1. For k columns, |V'x|^2 in [0, |x|^2] takes the place of <v, x>^2.",
    ),
    Step(
        "score-difference",
        Statement(
            "n v'A'v - n v'Av = v'(x'x'' - xx')v = <v, x'>^2 - <v, x>^2 when only the last record differs",
            score_difference_margin,
            given=(
                SAME_SHAPE,
                Condition("only the last record differs", last_record_margin),
                Condition("v has d coordinates", output_margin),
            ),
        ),
        defect=None,
        note="Printed as two inequalities, with a maximum over v on the left only; they are equations for each v.",
    ),
    Step(
        "score-bound",
        Statement("|<v, x'>^2 - <v, x>^2| <= 1", score_bound_margin, given=WITHIN_ONE),
        defect=None,
    ),
    Step(
        "exponential-mechanism",
        Statement.of_law(
            "the exponential mechanism exp(eps q/2) for a score that changes by at most 1 is eps-DP",
            mechanism_loss,
            at_most=promised_loss,
            given=(
                Condition("both data sets have the same outputs, at least one", outputs_margin),
                Condition("no score changes by more than 1", sensitivity_margin),
                positive("epsilon"),
            ),
            probability=False,
        ),
        defect=None,
        note="Quoted. Evaluated for finitely many outputs.",
    ),
    Step(
        "range",
        Statement(
            "for every k the change of the score takes values over V in an interval of length at most 2, so that "
            "the log-ratio of the densities, which takes the value 0, stays within eps",
            range_margin,
            given=SETTING,
        ),
        defect=None,
        note="Not printed; it takes the place of k = 1.",
    ),
)
