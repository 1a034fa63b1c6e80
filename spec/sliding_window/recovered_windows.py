"""What is left of Theorem 19: windows that a low-rank approximation tells apart, and the bits that this takes."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Repair, Statement
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, exceeds
from dpmatrix.spec.sliding_window.loewner import flag, squared_norm


@attrs.frozen
class TwoEntryWindows:
    """Two windows whose entries are 0, G, ..., (2^b - 1) G in the first k columns, and an answer for both.

    Parameters
    ----------
    first, second
        The entries over G, W x k.
    entry_bits
        b.
    gap
        G.
    answer
        B, W x d.
    additive
        tau, the additive error that is allowed.
    constant
        c.
    """

    first: fmpq_mat
    second: fmpq_mat
    entry_bits: int
    gap: Exact
    answer: fmpq_mat
    additive: Exact
    constant: Exact


def padded(p: TwoEntryWindows, entries: fmpq_mat) -> fmpq_mat:
    """Return the window of d columns, of which those beyond the first k are 0."""
    width = p.answer.ncols() - entries.ncols()
    return rational(p.gap) * fmpq_mat([row + [fmpq(0)] * width for row in entries.tolist()])


def recovered_bits_margin(p: TwoEntryWindows) -> arb:
    """Smaller of ``W k b - 1 - c W k log2(W)`` and what the answer misses of tau^2 for one of the windows."""
    size, rank = p.first.nrows(), p.first.ncols()
    claimed = rational(p.constant) * size * rank * arb(size).log() / arb(2).log()
    errors = [squared_norm(padded(p, entries) - p.answer) for entries in (p.first, p.second)]
    return (size * rank * p.entry_bits - 1 - claimed).min(arb(max(errors) - rational(p.additive) ** 2))


def entries_margin(p: TwoEntryWindows) -> arb:
    """0 when both have the shape W x k with k <= d, B is W x d, and the entries are integers below 2^b."""
    size, rank = p.first.nrows(), p.first.ncols()
    fits = (p.second.nrows(), p.second.ncols(), p.answer.nrows()) == (size, rank, size)
    few = all(
        entry.q == 1 and 0 <= entry < 1 << p.entry_bits for each in (p.first, p.second) for entry in each.entries()
    )
    return flag(fits and few and 1 <= rank <= p.answer.ncols())


def different_margin(p: TwoEntryWindows) -> arb:
    """0 when the windows differ."""
    return flag(p.first != p.second)


def rows_margin(p: TwoEntryWindows) -> arb:
    """``W - 2``."""
    return arb(p.first.nrows() - 2)


def bits_margin(p: TwoEntryWindows) -> arb:
    """``2^b - W``."""
    return arb((1 << p.entry_bits) - p.first.nrows())


def gap_margin(p: TwoEntryWindows) -> arb:
    """``G - 2 tau``."""
    return arb(rational(p.gap) - 2 * rational(p.additive))


LOG_BITS = Repair(
    "Omega(W k log W) without the factor 1/eta, for an answer that is a matrix B; entries of b >= log2(W) bits, k <= d",
    Statement(
        "there is a constant c, 1/3, with which, for an additive error tau and windows with entries 0, G, ..., (2^b - "
        "1) G in the first k columns, G > 2 tau and 2^b >= W, no B has |A - B|_F <= tau for two of them, so that an "
        "algorithm that for each of them has |A - B|_F <= (1+eta) min + tau with probability 2/3 keeps W k b - 1 > c W "
        "k log2(W) bits",
        recovered_bits_margin,
        given=(
            exceeds("integer entries below 2^b, W x k, and B is W x d", entries_margin, strict=False),
            exceeds("the windows differ", different_margin, strict=False),
            exceeds("W >= 2", rows_margin, strict=False),
            exceeds("2^b >= W", bits_margin, strict=False),
            at_least("additive", 0),
            exceeds("G > 2 tau", gap_margin),
        ),
        exists=(Chosen("constant", exhibited=fmpq(1, 3)),),
        strict=True,
    ),
)
