"""Streams, windows and neighbours: equation (1) and the set N (section 1.1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.spec.common.conditions import whole
from dpmatrix.spec.common.spectra import disagreement, spectral_norm
from dpmatrix.spec.sliding_window.loewner import between, flag, gram, row, squared_norm, zeros
from dpmatrix.spec.sliding_window.row_sampling import ROW_SAMPLING


@attrs.frozen
class StreamPoint:
    """The first T rows of a stream and a window size.

    Parameters
    ----------
    rows
        T x d rational matrix, T >= 1.
    window
        Size W >= 1.
    """

    rows: fmpq_mat
    window: int


def window_matrix(p: StreamPoint) -> fmpq_mat:
    """``A_W(T)`` as (1) prints it: zero rows below a stream that is shorter than the window."""
    total, width = p.rows.nrows(), p.rows.ncols()
    rows = p.rows.tolist()
    if total <= p.window:
        return fmpq_mat(rows + zeros(p.window - total, width).tolist()) if total < p.window else p.rows
    return fmpq_mat(rows[total - p.window :])


def window_margin(p: StreamPoint) -> arb:
    """Zero exactly when A_W'A_W is the sum of a_t'a_t over the last min(T, W) rows, and A_W has W rows."""
    built = window_matrix(p)
    total = p.rows.nrows()
    right_shape = built.nrows() == p.window and built.ncols() == p.rows.ncols()
    return disagreement(gram(built), between(p.rows, total - p.window + 1, total)) + flag(right_shape)


@attrs.frozen
class StreamPair:
    """Two streams of T rows each, as T x d rational matrices."""

    rows: fmpq_mat
    other: fmpq_mat


def in_set_n(difference: fmpq_mat) -> bool:
    """Whether some row has norm at most 1 and all other rows are zero."""
    norms = [squared_norm(row(difference, number)) for number in range(1, difference.nrows() + 1)]
    return any(norm <= 1 and all(other == 0 for j, other in enumerate(norms) if j != i) for i, norm in enumerate(norms))


def neighbours(p: StreamPair) -> bool:
    """Whether the first T rows of two streams differ by a member of N, for every T."""
    rows = (p.rows - p.other).tolist()
    return all(in_set_n(fmpq_mat(rows[:time])) for time in range(1, len(rows) + 1))


def one_short_change(p: StreamPair) -> bool:
    """Whether the streams differ in at most one row, and there by a vector of norm at most 1."""
    difference = p.rows - p.other
    norms = [squared_norm(row(difference, number)) for number in range(1, difference.nrows() + 1)]
    return sum(norm != 0 for norm in norms) <= 1 and all(norm <= 1 for norm in norms)


def neighbours_margin(p: StreamPair) -> arb:
    """0 when the printed relation and "at most one row differs, by norm at most 1" agree about a pair."""
    return flag(neighbours(p) == one_short_change(p))


def are_neighbours_margin(p: StreamPair) -> arb:
    """0 exactly for neighbouring streams."""
    return flag(neighbours(p))


def singular_value_margin(p: StreamPair) -> arb:
    """1 minus the largest singular value of A - A'; -1 when the rank exceeds 1."""
    difference = p.rows - p.other
    return 1 - spectral_norm(difference) if difference.rank() <= 1 else flag(holds=False)


def gram_change_margin(p: StreamPair) -> arb:
    """2 M + 1 minus the spectral norm of the change of A'A, M the largest norm of a row of the neighbour."""
    longest = max(squared_norm(row(p.other, number)) for number in range(1, p.other.nrows() + 1))
    return 2 * arb(longest).sqrt() + 1 - spectral_norm(gram(p.rows) - gram(p.other))


ARE_NEIGHBOURS = Condition("A - A' is in N", are_neighbours_margin)

NEIGHBOURS = Claim(
    id="sliding-window.neighbours",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "section 1.1, (1)",
        "A_W(T) = (a_1; ...; a_T; 0) if T <= W, else (a_{T-W+1}; ...; a_T); neighbours: A_T - A'_T in N at any T, "
        "N = {B : |B[i:]| <= 1 for some i, B[j:] = 0 for j != i}",
    ),
    statement=Statement(
        "streams are neighbours exactly if at most one row differs, and there by a vector of norm at most 1",
        neighbours_margin,
    ),
    verdict=Verdict.WELL_POSED,
    reading=(
        "'at any T' means at every T; a stream is its own neighbour, as B = 0 is in N; neighbours have one length, as "
        "A_T - A'_T has to exist."
    ),
    because=(
        "The relation is event-level, symmetric, and says nothing about the length of a row. So A'A can change by any "
        "amount: a row (M) that becomes (M + 1) changes it by 2M + 1. A row of norm 1 that is present or absent "
        "changes A'A by at most 1, and a guarantee that is calibrated to that change is silent here; the document "
        "passes from one relation to the other after Theorem 12."
    ),
    steps=(
        Step(
            "window",
            Statement(
                "A_W(T)'A_W(T) is the sum of a_t'a_t over the last min(T, W) rows",
                window_margin,
                given=(whole("window", 1),),
            ),
            defect=None,
        ),
        Step(
            "rank-one",
            Statement(
                "A - A' has rank at most 1 and singular value at most 1",
                singular_value_margin,
                given=(ARE_NEIGHBOURS,),
            ),
            defect=None,
            note="The document says 'singular value 1' after Theorem 12; N holds all lengths up to 1.",
        ),
        Step(
            "gram-change",
            Statement(
                "where the rows of one have norm at most M, A'A changes by at most 2 M + 1 in spectral norm",
                gram_change_margin,
                given=(ARE_NEIGHBOURS,),
            ),
            defect=None,
            note="As much as that where a row of norm M grows by 1; at most 1 where a row of norm at most 1 is present "
            "or absent.",
        ),
        *ROW_SAMPLING,
    ),
)
