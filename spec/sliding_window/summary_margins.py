"""The displays in the proof of Lemma 5 as margins: one exact sketch, its errors, and norms."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds
from dpmatrix.spec.common.spectra import diagonal, disagreement, eigenvalues, identity, trace
from dpmatrix.spec.sliding_window.loewner import flag, gram, precedes_margin, scaled


@attrs.frozen
class SplitSketch:
    """A^ in the bases of its singular vectors, where nothing is lost, and a sketch of it.

    Parameters
    ----------
    values
        Singular values of A^, decreasing.
    sketch
        Phi times the left singular vectors: m x d.
    k
        Rank of P_1, the projection onto the first k axes.
    eta
        eta_1.
    """

    values: tuple[Exact, ...]
    sketch: fmpq_mat
    k: int
    eta: Exact


def _leading(p: SplitSketch) -> fmpq_mat:
    return diagonal([int(place < p.k) for place in range(len(p.values))])


def _trailing(p: SplitSketch) -> fmpq_mat:
    return identity(len(p.values)) - _leading(p)


def _gaps(p: SplitSketch) -> fmpq_mat:
    """``A^'(Phi'Phi - I)A^``."""
    data = diagonal(p.values)
    return data * (gram(p.sketch) - identity(len(p.values))) * data


def first_error_margin(p: SplitSketch) -> arb:
    """-eta_1 A^'A^ <= E_1 <= eta_1 A^'A^, E_1 = P_1 A^'(Phi'Phi - I)A^ P_1."""
    error, bound = _leading(p) * _gaps(p) * _leading(p), scaled(p.eta, gram(diagonal(p.values)))
    return precedes_margin(error, bound).min(precedes_margin(scaled(-1, bound), error))


def _distance(sketch: fmpq_mat) -> arb:
    """``|Phi'Phi - I|_2``."""
    values = eigenvalues(gram(sketch) - identity(sketch.ncols()))
    return abs(values[0]).max(abs(values[-1]))


def trace_margin(p: SplitSketch) -> arb:
    """``|A^P_2|_F^2 |Phi'Phi - I|_2 - Tr E_2``."""
    rest = diagonal(p.values) * _trailing(p)
    return arb(trace(gram(rest))) * _distance(p.sketch) - arb(trace(_trailing(p) * _gaps(p)))


def cross_margin(p: SplitSketch) -> arb:
    """(17): P_1 A^'Phi'Phi A^ P_2 - P_1 A^'A^ P_2 against P_1 A^'Phi'Phi A^ P_2."""
    data = diagonal(p.values)
    whole_term = _leading(p) * data * gram(p.sketch) * data * _trailing(p)
    return disagreement(whole_term - _leading(p) * gram(data) * _trailing(p), whole_term)


def embedding_margin(p: SplitSketch) -> arb:
    """(1 - eta_1) I <= Phi'Phi <= (1 + eta_1) I on the first k axes."""
    if not split_shapes(p) >= 0:
        return flag(holds=False)
    inner = _leading(p) * gram(p.sketch) * _leading(p)
    unit = _leading(p)
    above = precedes_margin(inner, scaled(1 + rational(p.eta), unit))
    return above.min(precedes_margin(scaled(1 - rational(p.eta), unit), inner))


def ordered_margin(p: SplitSketch) -> arb:
    """Least of the drops between singular values and the last one."""
    values = [*(rational(value) for value in p.values), fmpq(0)]
    return arb(min(values[i] - values[i + 1] for i in range(len(p.values))))


def split_shapes(p: SplitSketch) -> arb:
    """0 when Phi has as many columns as there are singular values, and k is at most that."""
    return flag(p.sketch.ncols() == len(p.values) and 1 <= p.k <= len(p.values))


SPLIT = (
    exceeds("Phi is m x d and 1 <= k <= d", split_shapes, strict=False),
    exceeds("the singular values decrease and are not negative", ordered_margin, strict=False),
)


@attrs.frozen
class FullSketch:
    """Phi, m x n, the rank k and eta."""

    sketch: fmpq_mat
    k: int
    eta: Exact


def identity_distance_margin(p: FullSketch) -> arb:
    """``eta/k - |Phi'Phi - I|_2``."""
    return ball(rational(p.eta) / p.k) - _distance(p.sketch)


def fewer_rows_margin(p: FullSketch) -> arb:
    """Columns minus rows."""
    return arb(p.sketch.ncols() - p.sketch.nrows())


@attrs.frozen
class ErrorSpectrum:
    """Eigenvalues of E_2 in any order, and k."""

    values: tuple[Real, ...]
    k: int


def eigenvalue_sum_margin(p: ErrorSpectrum) -> arb:
    """``sqrt(k) |E_2|_F`` minus the sum of the first k absolute values."""
    norm = sum((square(ball(value)) for value in p.values), arb(0)).sqrt()
    return arb(p.k).sqrt() * norm - sum((abs(ball(value)) for value in p.values[: p.k]), arb(0))


@attrs.frozen
class ProductShape:
    """Dimension d, k, and the number of rows n + d of A^."""

    dimension: int
    k: int
    rows: int


def printed_product_margin(p: ProductShape) -> arb:
    """Zero exactly when U_k, d x k, can be multiplied by Phi'Phi, (n + d) x (n + d)."""
    return -arb(abs(p.k - p.rows))


@attrs.frozen
class CrossTail:
    """k, beta and eta of a sketch of 4k'/eta^2 rows."""

    k: int
    beta: Real
    eta: Real


def cross_tail_margin(p: CrossTail) -> arb:
    """``beta - 2^k exp(-k') - exp(-(k'/eta^2)(1 - 2 log(3/2)))``."""
    more = p.k - ball(p.beta).log()
    second = (-more / square(ball(p.eta)) * (1 - 2 * (arb(3) / 2).log())).exp()
    return ball(p.beta) - arb(2) ** p.k * (-more).exp() - second


@attrs.frozen
class Displays:
    """Norms of the last lines of the proof.

    Parameters
    ----------
    data, stacked, summary
        |A(1 - P)|_F, |A^(1 - P)|_F and |Phi A^(1 - P)|_F.
    tail
        |A^ - [A^]_k|_F, at most the second.
    eta
        eta.
    additive
        K.
    constant
        c of Lemma 7.
    """

    data: Real
    stacked: Real
    summary: Real
    tail: Real
    eta: Real
    additive: Real = 0
    constant: Real = 0


def lemma_7_margin(p: Displays) -> arb:
    """Least slack of (1 - 5 eta) x^2 <= y^2 + c <= (1 + 5 eta) x^2, x and y the stacked and the sketched norm."""
    cost, seen = square(ball(p.stacked)), square(ball(p.summary)) + ball(p.constant)
    return (seen - (1 - 5 * ball(p.eta)) * cost).min((1 + 5 * ball(p.eta)) * cost - seen)


def constant_margin(p: Displays) -> arb:
    """``eta |A^ - [A^]_k|_F^2 - c``."""
    return ball(p.eta) * square(ball(p.tail)) - ball(p.constant)


def display_margin(p: Displays) -> arb:
    """The last display: least slack of (1 - 5 eta) y <= x + eta |tail| <= (1 + 5 eta) y."""
    middle = ball(p.stacked) + ball(p.eta) * ball(p.tail)
    return (middle - (1 - 5 * ball(p.eta)) * ball(p.summary)).min((1 + 5 * ball(p.eta)) * ball(p.summary) - middle)


def tail_margin(p: Displays) -> arb:
    """``|A^(1 - P)|_F - |A^ - [A^]_k|_F``."""
    return ball(p.stacked) - ball(p.tail)


def subadditive_margin(p: Displays) -> arb:
    """(16): K minus the distance of |A^(1 - P)|_F from |A(1 - P)|_F."""
    return ball(p.additive) - abs(ball(p.stacked) - ball(p.data))


def rearranged_margin(p: Displays) -> arb:
    """Least slack of (1 - 6 eta) y - K <= |A(1 - P)|_F <= (1 + 6 eta) y + K."""
    factor, seen, term = 6 * ball(p.eta), ball(p.summary), ball(p.additive)
    return (ball(p.data) + term - (1 - factor) * seen).min((1 + factor) * seen + term - ball(p.data))


def wide_rows_margin(p: ProductShape) -> arb:
    """Rows of A^ minus the d + 1 that it has at least, and d minus k."""
    return arb(min(p.rows - p.dimension - 1, p.dimension - p.k))


def counted_margin(p: ErrorSpectrum) -> arb:
    """Zero when k is at least 1 and there are as many eigenvalues, -1 otherwise."""
    return flag(1 <= p.k <= len(p.values))


COUNTED = exceeds("1 <= k <= d", counted_margin, strict=False)
NORMS = (
    at_least("eta", 0),
    below("eta", 1),
    at_least("data", 0),
    at_least("summary", 0),
    at_least("tail", 0),
    exceeds("|A^ - [A^]_k|_F <= |A^(1-P)|_F", tail_margin, strict=False),
)

PRODUCT_ROWS = exceeds("A^ has n + d rows, n >= 1", wide_rows_margin, strict=False)
