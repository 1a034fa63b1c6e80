"""What a private projection may give away: matrices (gamma I, B) whose row space determines the signs of B.

A row may be of any length, so that one sign of B may be worth t moves of length 1, with entries t/2 and -t/2.
"""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.distinguishing import delta_of_group
from dpmatrix.spec.sliding_window.loewner import flag, squared_norm
from dpmatrix.spec.sliding_window.post_processing import excess


@attrs.frozen
class TabledMechanism:
    """A mechanism with finitely many outputs, on k x (k + m) matrices (gamma I, B).

    The entries of B are -t/2, 1 - t/2, ..., t/2.

    Parameters
    ----------
    rank, columns, moves
        k, m and t.
    gamma
        Scale of the block that everybody knows.
    outputs
        Orthogonal projections of rank k in dimension k + m.
    laws
        For each B, its entries row by row in lexicographic order with -t/2 first, the probabilities of the outputs.
    exponential, delta
        e^epsilon and delta.
    """

    rank: int
    columns: int
    moves: int
    gamma: Exact
    outputs: tuple[fmpq_mat, ...]
    laws: tuple[tuple[fmpq, ...], ...]
    exponential: fmpq
    delta: fmpq


def data(p: TabledMechanism) -> list[fmpq_mat | None]:
    """All matrices (gamma I, B) with entries t/2 and -t/2 in B, and None in the place of each other B."""
    found: list[fmpq_mat | None] = []
    for places in product(range(p.moves + 1), repeat=p.rank * p.columns):
        entries = [fmpq(2 * place - p.moves, 2) for place in places]
        rows = [
            [rational(p.gamma) if i == j else fmpq(0) for j in range(p.rank)]
            + entries[i * p.columns : (i + 1) * p.columns]
            for i in range(p.rank)
        ]
        found.append(fmpq_mat(rows) if set(places) <= {0, p.moves} else None)
    return found


def squared_cost(matrix: fmpq_mat, projection: fmpq_mat) -> fmpq:
    """``|A - AP|_F^2``."""
    return squared_norm(matrix - matrix * projection)


def worst_cost(p: TabledMechanism) -> fmpq:
    """Largest expected squared cost at entries t/2 and -t/2 in B; the least cost of rank k is 0 for each."""
    return max(
        sum((share * squared_cost(matrix, output) for share, output in zip(law, p.outputs, strict=True)), fmpq(0))
        for matrix, law in zip(data(p), p.laws, strict=True)
        if matrix is not None
    )


def delta_of_moves(p: TabledMechanism) -> fmpq:
    """``delta (1 + e^eps + ... + e^((t-1) eps))``, the delta of t moves, with t eps for eps."""
    return p.delta * sum((p.exponential**step for step in range(p.moves)), fmpq(0))


def worst_cost_margin(p: TabledMechanism) -> arb:
    """Worst expected squared cost minus ``t^2 (1 - delta_t) k m / (20 (1 + e^(t epsilon)))``."""
    share = p.moves**2 * (1 - delta_of_moves(p)) / (20 * (1 + p.exponential**p.moves))
    return arb(worst_cost(p) - share * p.rank * p.columns)


def privacy_margin(p: TabledMechanism) -> arb:
    """Delta minus the largest ``P(S) - e^epsilon Q(S)`` for matrices that differ in one entry, by 1."""
    places = list(product(range(p.moves + 1), repeat=p.rank * p.columns))
    laws = dict(zip(places, p.laws, strict=False))  # `table_margin` counts them
    pairs = [
        (laws[one], laws[(*one[:i], one[i] + 1, *one[i + 1 :])])
        for one in places
        for i in range(len(one))
        if one[i] < p.moves
    ]
    worst = max(max(excess(one, two, p.exponential), excess(two, one, p.exponential)) for one, two in pairs)
    return arb(p.delta - worst)


def table_margin(p: TabledMechanism) -> arb:
    """0 when there is a probability law on the outputs for each B."""
    laws = all(len(law) == len(p.outputs) and min(law) >= 0 and sum(law, fmpq(0)) == 1 for law in p.laws)
    return flag(laws and len(p.laws) == (p.moves + 1) ** (p.rank * p.columns))


def projections_margin(p: TabledMechanism) -> arb:
    """0 when every output is an orthogonal projection of rank k in dimension k + m."""
    size = p.rank + p.columns
    return flag(
        all(
            (one.nrows(), one.ncols()) == (size, size)
            and one.rank() == p.rank
            and bool(disagreement(one * one, one) == 0)
            and bool(disagreement(one, one.transpose()) == 0)
            for one in p.outputs
        )
    )


def gamma_margin(p: Guess) -> arb:
    """``gamma^2 - k m``, negative for a negative gamma."""
    gamma = rational(p.gamma)
    return arb(abs(gamma) * gamma - p.rank * p.columns)


def block_margin(p: TabledMechanism) -> arb:
    """``gamma^2 - t^2 k m``, negative for a negative gamma."""
    gamma = rational(p.gamma)
    return arb(abs(gamma) * gamma - p.moves**2 * p.rank * p.columns)


def exponential_margin(p: TabledMechanism) -> arb:
    """``e^epsilon - 1``."""
    return arb(p.exponential - 1)


@attrs.frozen
class Guarantee:
    """Epsilon and delta of a private projection."""

    epsilon: Exact
    delta: Exact


def many_moves_margin(p: Guarantee) -> arb:
    """``t^2 (1 - delta_t)/(20 (1 + e^(t eps))) - 1/(150 eps^2)`` at ``t = floor(2/eps)``."""
    epsilon = ball(p.epsilon)
    moves = (2 / epsilon).floor()
    kept = 1 - delta_of_group(epsilon, ball(p.delta), moves)
    return square(moves) * kept / (20 * (1 + (moves * epsilon).exp())) - 1 / (150 * square(epsilon))


def small_delta_margin(p: Guarantee) -> arb:
    """``eps/10 - delta``."""
    return ball(p.epsilon) / 10 - ball(p.delta)


@attrs.frozen
class Guess:
    """A matrix (gamma I, B) with k rows and m columns in B, and k rows that span the output of a mechanism."""

    signs: fmpq_mat
    gamma: Exact
    span: fmpq_mat

    @property
    def rank(self) -> int:
        """K, the number of rows."""
        return int(self.signs.nrows())

    @property
    def columns(self) -> int:
        """M, the number of columns of B."""
        return int(self.signs.ncols())


def guessed(p: Guess) -> fmpq_mat:
    """Return ``gamma U_1^-1 U_2`` for the span (U_1, U_2), and 0 when U_1 has no inverse."""
    rows, k = p.span.tolist(), p.rank
    left, right = fmpq_mat([one[:k] for one in rows]), fmpq_mat([one[k:] for one in rows])
    return rational(p.gamma) * left.inv() * right if left.det() != 0 else fmpq_mat(k, p.columns)


def wrong_signs(p: Guess) -> int:
    """Count the entries of B whose sign the guess misses; an entry 0 of the guess stands for a positive sign."""
    pairs = zip(p.signs.entries(), guessed(p).entries(), strict=True)
    return sum((sign == fmpq(1, 2)) != (guess >= 0) for sign, guess in pairs)


def guess_margin(p: Guess) -> arb:
    """``20 |A - AP|_F^2`` minus the number of signs that the guess misses."""
    matrix = fmpq_mat(
        [
            [rational(p.gamma) if i == j else fmpq(0) for j in range(p.rank)] + list(one)
            for i, one in enumerate(p.signs.tolist())
        ]
    )
    across = p.span.transpose()
    projection = across * (p.span * across).inv() * p.span
    return arb(20 * squared_cost(matrix, projection) - wrong_signs(p))


def signs_margin(p: Guess) -> arb:
    """0 when every entry of B is 1/2 or -1/2."""
    return flag(all(abs(entry) == fmpq(1, 2) for entry in p.signs.entries()))


def span_margin(p: Guess) -> arb:
    """0 when the span has k independent rows of length k + m."""
    return flag(p.span.nrows() == p.rank == p.span.rank() and p.span.ncols() == p.rank + p.columns)
