"""Theorem 19: the entries of an approximation of the planted matrix, and how Bob reads his bit (appendix E)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, at_most, below, exceeds, positive, whole


@attrs.frozen
class Roots:
    """Root of tau, and eta."""

    root: Exact
    eta: Exact


def square_margin(p: Roots) -> arb:
    """``2 (1 + eta) tau + 2 tau^2 - ((1 + eta) sqrt(tau) + tau)^2``."""
    root, eta = rational(p.root), rational(p.eta)
    return arb(2 * (1 + eta) * root**2 + 2 * root**4 - ((1 + eta) * root + root**2) ** 2)


@attrs.frozen
class Block:
    """Root of Psi, k, and quantities of the proofs of Lemmas 11 and 12.

    Parameters
    ----------
    root, rank
        sqrt(Psi) and k.
    diagonal, entry
        Y_jj and an entry of V~, which stands for 10^theta in M.
    coefficient
        The largest |eta_ij|.
    scale
        10^theta.
    """

    root: Exact
    rank: int
    diagonal: Exact
    entry: Exact
    coefficient: Exact
    scale: Exact


def diagonal_margin(p: Block) -> arb:
    """``Y_jj - Psi^2``."""
    return arb(rational(p.diagonal) - rational(p.root) ** 4)


def near_gamma(p: Block) -> arb:
    """``sqrt(Psi) - |Y_jj - gamma|`` for gamma = 2 Psi^2, the least that Lemma 11 allows."""
    root = rational(p.root)
    return arb(root - abs(rational(p.diagonal) - 2 * root**4))


def contradiction_margin(p: Block) -> arb:
    """``(Psi^2 - k sqrt(Psi)) Psi^2 / (k sqrt(Psi)) - sqrt(Psi)``."""
    root = rational(p.root)
    return arb((root**4 - p.rank * root) * root**4 / (p.rank * root) - root)


def quarter_margin(p: Block) -> arb:
    """``(Psi^2 - k sqrt(Psi))^2 - Psi^4 / 4``."""
    root = rational(p.root)
    return arb((root**4 - p.rank * root) ** 2 - root**8 / 4)


def large_entry_margin(p: Block) -> arb:
    """``|V~_ji| - sqrt(Psi)``."""
    return arb(abs(rational(p.entry)) - rational(p.root))


def combination_margin(p: Block) -> arb:
    """``4k / Psi - k |eta| (10^theta + sqrt(Psi))``."""
    root = rational(p.root)
    return arb(4 * p.rank / root**2 - p.rank * rational(p.coefficient) * (rational(p.scale) + root))


def psi_margin(p: Block) -> arb:
    """``Psi - 2k``."""
    return arb(rational(p.root) ** 2 - 2 * p.rank)


def coefficient_margin(p: Block) -> arb:
    """``4 / Psi^3 - eta^2``."""
    return arb(4 / rational(p.root) ** 6 - rational(p.coefficient) ** 2)


def near_entry(p: Block) -> arb:
    """``Psi - (V~_ji - 10^theta)^2``."""
    return arb(rational(p.root) ** 2 - (rational(p.entry) - rational(p.scale)) ** 2)


def scale_margin(p: Block) -> arb:
    """``sqrt(Psi) - 10^theta``."""
    return arb(rational(p.root) - rational(p.scale))


BLOCK = (
    whole("rank", 1),
    exceeds("Psi >= 2k", psi_margin, strict=False),
    at_least("root", 1),
)


@attrs.frozen
class Entry:
    """An entry m of M, at least 10 in absolute value, and how far the combination at its place may be from zero."""

    size: Exact
    shift: Exact


def outside_margin(p: Entry) -> arb:
    """``(m - x)^2 - m^2 (1 - x)``."""
    size, shift = rational(p.size), rational(p.shift)
    return arb((size - shift) ** 2 - size**2 * (1 - shift))


@attrs.frozen
class Success:
    """Probability that the approximation fails, and the fraction of wrong signs."""

    failure: Exact
    wrong: Exact


def success_margin(p: Success) -> arb:
    """``1 - failure - wrong - 2/3``."""
    return 1 - ball(p.failure) - ball(p.wrong) - fmpq(2, 3)


ENTRIES = (
    Step(
        "square-of-a-sum",
        Statement(
            "((1+eta) sqrt(tau) + tau)^2 <= 2(1+eta) tau + 2 tau^2",
            square_margin,
            given=(at_least("root", 4), positive("eta"), below("eta", 1)),
        ),
        defect=None,
        note="For tau >= 16, and in the proof tau >= 20 k W >= 40. A small tau breaks it: at eta = 1/10 and tau = "
        "121/100 it is 5.856 against 5.590.",
    ),
    Step(
        "diagonal",
        Statement(
            "from (45) and gamma = 2 Psi^2: Y_jj >= Psi^2",
            diagonal_margin,
            given=(*BLOCK, exceeds("|Y_jj - gamma| <= sqrt(Psi)", near_gamma, strict=False)),
        ),
        defect=None,
    ),
    Step(
        "contradiction",
        Statement(
            "(Psi^2 - k sqrt(Psi)) Psi^2/(k sqrt(Psi)) > sqrt(Psi)", contradiction_margin, given=BLOCK, strict=True
        ),
        defect=None,
        note="For Psi >= 2k.",
    ),
    Step(
        "quarter",
        Statement("(Psi^2 - k sqrt(Psi))^2 >= Psi^4/4", quarter_margin, given=BLOCK),
        defect=None,
        note="For Psi >= 2k.",
    ),
    Step(
        "entries-at-least",
        Statement(
            "each V~_i is at least sqrt(Psi)",
            large_entry_margin,
            given=(*BLOCK, positive("scale"), exceeds("|V~ - M|^2 <= Psi", near_entry, strict=False)),
        ),
        defect=Defect.SLIP,
        note="'At most' is meant and used; even that only up to 10^theta + sqrt(Psi).",
    ),
    Step(
        "combination",
        Statement(
            "|sum of eta_ij V~_j| <= 4k/Psi, for entries of at most 10^theta + sqrt(Psi)",
            combination_margin,
            given=(
                *BLOCK,
                positive("scale"),
                exceeds("10^theta <= sqrt(Psi)", scale_margin, strict=False),
                at_least("coefficient", 0),
                exceeds("eta_ij^2 <= 4/Psi^3", coefficient_margin, strict=False),
            ),
        ),
        defect=None,
        note="The stated 4 is what 10^theta <= sqrt(Psi) gives.",
    ),
    Step(
        "columns-outside",
        Statement(
            "(m - x)^2 >= m^2 (1 - x) for an entry m of M",
            outside_margin,
            given=(at_least("size", 10), at_least("shift", 0)),
        ),
        defect=None,
    ),
    Step(
        "two-thirds",
        Statement(
            "with probability 5/6 of an approximation and a fraction 1/10 + 1/99 of wrong signs Bob succeeds with 2/3",
            success_margin,
            given=(
                at_least("failure", 0),
                at_most("failure", fmpq(1, 6)),
                at_least("wrong", 0),
                at_most("wrong", fmpq(1, 10) + fmpq(1, 99)),
            ),
        ),
        defect=None,
    ),
)
