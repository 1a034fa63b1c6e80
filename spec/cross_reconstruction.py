"""What a private projection may give away: matrices (gamma I, B) whose row space determines the signs of B."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.loewner import flag, squared_norm
from dpmatrix.spec.sliding_window.post_processing import excess


@attrs.frozen
class TabledMechanism:
    """A mechanism with finitely many outputs, on all k x (k + m) matrices (gamma I, B) with entries 1/2, -1/2 in B.

    Parameters
    ----------
    rank, columns
        k and m.
    gamma
        Scale of the block that everybody knows.
    outputs
        Orthogonal projections of rank k in dimension k + m.
    laws
        For each B, its entries row by row in lexicographic order with -1/2 first, the probabilities of the outputs.
    exponential, delta
        e^epsilon and delta.
    """

    rank: int
    columns: int
    gamma: Exact
    outputs: tuple[fmpq_mat, ...]
    laws: tuple[tuple[fmpq, ...], ...]
    exponential: fmpq
    delta: fmpq


def data(p: TabledMechanism) -> list[fmpq_mat]:
    """All matrices (gamma I, B)."""
    half, found = fmpq(1, 2), []
    for signs in product((-half, half), repeat=p.rank * p.columns):
        rows = [
            [rational(p.gamma) if i == j else fmpq(0) for j in range(p.rank)]
            + list(signs[i * p.columns : (i + 1) * p.columns])
            for i in range(p.rank)
        ]
        found.append(fmpq_mat(rows))
    return found


def squared_cost(matrix: fmpq_mat, projection: fmpq_mat) -> fmpq:
    """``|A - AP|_F^2``."""
    return squared_norm(matrix - matrix * projection)


def worst_cost(p: TabledMechanism) -> fmpq:
    """Largest expected squared cost over the matrices; the least cost of rank k is 0 for each."""
    return max(
        sum((share * squared_cost(matrix, output) for share, output in zip(law, p.outputs, strict=True)), fmpq(0))
        for matrix, law in zip(data(p), p.laws, strict=True)
    )


def worst_cost_margin(p: TabledMechanism) -> arb:
    """Worst expected squared cost minus ``(1 - delta) k m / (20 (1 + e^epsilon))``."""
    return arb(worst_cost(p) - (1 - p.delta) * p.rank * p.columns / (20 * (1 + p.exponential)))


def privacy_margin(p: TabledMechanism) -> arb:
    """Delta minus the largest ``P(S) - e^epsilon Q(S)`` for matrices that differ in one entry, by 1."""
    bits = p.rank * p.columns
    pairs = [(one, one ^ (1 << place)) for one in range(2**bits) for place in range(bits)]
    excesses = [excess(p.laws[one], p.laws[other], p.exponential) for one, other in pairs]
    return arb(p.delta - max(excesses))


def table_margin(p: TabledMechanism) -> arb:
    """0 when there is a probability law on the outputs for each B."""
    laws = all(len(law) == len(p.outputs) and min(law) >= 0 and sum(law, fmpq(0)) == 1 for law in p.laws)
    return flag(laws and len(p.laws) == 2 ** (p.rank * p.columns))


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


def gamma_margin(p: TabledMechanism | Guess) -> arb:
    """``gamma^2 - k m``, negative for a negative gamma."""
    gamma = rational(p.gamma)
    return arb(abs(gamma) * gamma - p.rank * p.columns)


def exponential_margin(p: TabledMechanism) -> arb:
    """``e^epsilon - 1``."""
    return arb(p.exponential - 1)


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
