"""Theorem 19: the matrices of Alice and Bob, and what their proof says of them (appendix E)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import exceeds, positive, whole
from dpmatrix.spec.common.spectra import eigenvalues
from dpmatrix.spec.sliding_window.loewner import flag, gram


@attrs.frozen
class Planted:
    """Alice's signs, and Bob's block gamma I in k columns of the block theta.

    Parameters
    ----------
    signs
        (W - a) x a matrix of 1 and -1: the signs of M.
    blocks, theta
        l, the number of blocks of columns, and the block of Bob's index, from 1.
    rank
        k; Bob plants the first k columns of the block.
    gamma
        Scale of Bob's entries.
    """

    signs: fmpq_mat
    blocks: int
    theta: int
    rank: int
    gamma: Exact


def width(p: Planted) -> int:
    """``a / l``, the number of columns of a block."""
    return int(p.signs.ncols()) // p.blocks


def planted(p: Planted, last: int) -> fmpq_mat:
    """A~ + A-bar with Alice's blocks 1 to ``last``, the others zero."""
    rows, columns = p.signs.nrows(), p.signs.ncols()
    matrix = fmpq_mat(columns + rows, columns)
    for j in range(columns):
        block = j // width(p) + 1
        for i in range(rows):
            matrix[columns + i, j] = p.signs[i, j] * 10**block if block <= last else fmpq(0)
    first = (p.theta - 1) * width(p)
    for j in range(first, first + p.rank):
        matrix[j, j] = rational(p.gamma)
    return matrix


def least_error(p: Planted, last: int) -> arb:
    """``|A - [A]_k|_F^2``: the eigenvalues of A'A beyond the k largest."""
    return sum(eigenvalues(gram(planted(p, last)))[p.rank :], arb(0))


def first_line(p: Planted) -> fmpq:
    """``(a - k)(W - a) 100^theta / l + sum over theta' < theta of a (W - a) 100^theta' / l``."""
    rows, columns = p.signs.nrows(), p.signs.ncols()
    earlier = sum(100**block for block in range(1, p.theta))
    return fmpq((columns - p.rank) * rows * 100**p.theta + columns * rows * earlier, p.blocks)


def kept_error_margin(p: Planted) -> arb:
    """`first_line` minus the least error, when Alice's blocks after theta are gone."""
    return arb(first_line(p)) - least_error(p, p.theta)


def whole_error_margin(p: Planted) -> arb:
    """`first_line` minus the least error of the stream itself, whose rows carry all blocks."""
    return arb(first_line(p)) - least_error(p, p.blocks)


def column_norm_margin(p: Planted) -> arb:
    """Minus the distance of a column's squared norm in the first block from ``a (W - a) 100``."""
    rows, columns = p.signs.nrows(), p.signs.ncols()
    norm = sum((p.signs[i, 0] * p.signs[i, 0] * 100 for i in range(rows)), fmpq(0))
    return -arb(abs(norm - columns * rows * 100))


def signs_margin(p: Planted) -> arb:
    """0 when every sign is 1 or -1, l divides a, and k columns fit into the block theta."""
    fits = p.signs.ncols() % p.blocks == 0 and p.rank <= width(p) and p.theta <= p.blocks
    return flag(fits and all(abs(entry) == 1 for entry in p.signs.entries()))


PLANTED = (
    whole("blocks", 1),
    whole("theta", 1),
    whole("rank", 1),
    exceeds("signs in l equal blocks, k columns in block theta", signs_margin, strict=False),
)


@attrs.frozen
class Places:
    """Where Alice's bits stand: W and n, a columns in l blocks."""

    window: int
    rows: int
    columns: int
    blocks: int


def positions(p: Places) -> list[int]:
    """``(i - 1)(W - a) a / l + (k - 1)(n - a) + j`` for block i, column k in it and row j."""
    inside, size = p.window - p.columns, p.columns // p.blocks
    return [
        (i - 1) * inside * size + (k - 1) * (p.rows - p.columns) + j
        for i in range(1, p.blocks + 1)
        for k in range(1, size + 1)
        for j in range(1, inside + 1)
    ]


def bijection_margin(p: Places) -> arb:
    """0 when the positions are 1 to (W - a) a, each once."""
    return flag(sorted(positions(p)) == list(range(1, (p.window - p.columns) * p.columns + 1)))


def places_margin(p: Places) -> arb:
    """0 when l divides a, a < W and a < n."""
    return flag(p.columns % p.blocks == 0 and p.columns < min(p.window, p.rows))


@attrs.frozen
class Budget:
    """W, d, k, l, eta, and a constant.

    Parameters
    ----------
    window, dimension, rank
        W, d and k.
    blocks
        l; the document's is log W / eta.
    eta
        eta in (0, 1).
    constant
        An exponent.
    """

    window: int
    dimension: int
    rank: int
    blocks: int
    eta: Exact
    constant: Exact


def columns(p: Budget) -> fmpq:
    """``a = k l / (20 eta)``."""
    return fmpq(p.rank * p.blocks) / (20 * rational(p.eta))


def half_margin(p: Budget) -> arb:
    """``d/2 - a``."""
    return arb(fmpq(p.dimension, 2) - columns(p))


def entries_margin(p: Budget) -> arb:
    """``c log W - l log 10``: the largest entry of M against W^c."""
    return ball(p.constant) * arb(p.window).log() - p.blocks * arb(10).log()


def entries_degree(eta: Exact) -> arb:
    """``log(10) (1/eta + 1/log 2)``."""
    return arb(10).log() * (1 / ball(eta) + 1 / arb(2).log())


def group_margin(p: Budget) -> arb:
    """Minus the distance of a/k, the number of rows in R, from the k rows of Y."""
    return -arb(abs(columns(p) / p.rank - p.rank))


def bits_margin(p: Budget) -> arb:
    """``(W - a) a - W k log(W) / (40 eta)``: the bits that the proof encodes, against the theorem's bound."""
    encoded = (p.window - columns(p)) * columns(p)
    return arb(encoded) - p.window * p.rank * arb(p.window).log() / (40 * ball(p.eta))


def encoded_margin(p: Budget) -> arb:
    """``(W - a) a - W k l / (40 eta)``."""
    return arb((p.window - columns(p)) * columns(p) - fmpq(p.window * p.rank * p.blocks) / (40 * rational(p.eta)))


def enough_blocks(p: Budget) -> arb:
    """``l - log W / eta``."""
    return p.blocks - arb(p.window).log() / ball(p.eta)


def half_window(p: Budget) -> arb:
    """``W/2 - a``."""
    return arb(fmpq(p.window, 2) - columns(p))


def fewest_blocks(p: Budget) -> arb:
    """``log W / eta + 1 - l``."""
    return 1 - enough_blocks(p)


def below_one(p: Budget) -> arb:
    """``1 - eta``."""
    return arb(1 - rational(p.eta))


SIZES = (whole("window", 2), whole("dimension", 1), whole("rank", 1), whole("blocks", 1), positive("eta"))
BUDGET = (*SIZES, exceeds("eta < 1", below_one))
LONG = (*BUDGET, exceeds("l >= log W / eta", enough_blocks, strict=False))
ROOM = exceeds("a <= W/2", half_window, strict=False)

CONSTRUCTION = (
    Step(
        "without-loss",
        Statement("a = k l/(20 eta) is at most d/2, without loss of generality", half_margin, given=LONG),
        defect=Defect.HYPOTHESIS,
        note="A restriction on eta: k log W <= 10 eta^2 d.",
    ),
    Step(
        "polynomial-entries",
        Statement(
            "entries of M are polynomially bounded: for each eta there is a c with 10^l <= W^c for the least l >= log "
            "W/eta",
            entries_margin,
            given=(*SIZES, exceeds("l < log W/eta + 1", fewest_blocks)),
            exists=(Chosen("constant", after=("eta",), exhibited=entries_degree),),
        ),
        defect=None,
        note="10^(log W/eta) = W^(2.3/eta): the degree grows as eta falls.",
    ),
    Step(
        "bits",
        Statement(
            "p = (i-1)(W-a)a/l + (k-1)(n-a) + j places the bits one to one on the entries of M",
            bijection_margin,
            given=(
                whole("window", 2),
                whole("columns", 1),
                whole("blocks", 1),
                exceeds("l divides a, a < W and a < n", places_margin, strict=False),
            ),
        ),
        defect=Defect.SLIP,
        note="True for n = W; n is not defined.",
    ),
    Step(
        "column-norm",
        Statement("columns of earlier blocks have squared norm a (n-a) 100^theta'", column_norm_margin, given=PLANTED),
        defect=Defect.SLIP,
        note="(W - a) 100^theta'.",
    ),
    Step(
        "error-first-line",
        Statement(
            "|A - [A]_k|_F^2 is at most the first line, once the blocks after theta are gone",
            kept_error_margin,
            given=PLANTED,
        ),
        defect=None,
        note="(a - k)/l can be a/l - k.",
    ),
    Step(
        "expired-blocks",
        Statement(
            "the same for a stream of rows, of which Bob lets the older ones expire", whole_error_margin, given=PLANTED
        ),
        defect=Defect.PROOF,
        note="Blocks are sets of columns: every row has all of them. To remove a block needs deletions of entries.",
    ),
    Step(
        "block-of-rows",
        Statement("R has k rows, so that Y is k x k", group_margin, given=LONG),
        defect=Defect.SLIP,
        note="R has a/k rows.",
    ),
    Step(
        "encoded-bits",
        Statement("(W - a) a >= W k l/(40 eta)", encoded_margin, given=(*BUDGET, ROOM)),
        defect=None,
        note="For a <= W/2.",
    ),
    Step(
        "last-line",
        Statement(
            "the (W - a) a bits, Omega(W k l/eta), are Omega(W k log(W)/eta): at least W k log(W)/(40 eta)",
            bits_margin,
            given=(*LONG, ROOM),
        ),
        defect=None,
        note="With l = log W/eta they would even be W k log(W)/(40 eta^2).",
    ),
)
