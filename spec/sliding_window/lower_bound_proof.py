"""Theorem 19: the error of the planted matrix, and the budget Psi of its approximation (appendix E)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole


@attrs.frozen
class Chain:
    """W, d, k, l, theta and eta of the proof; a = k l / (20 eta), and a constant that O hides."""

    window: int
    dimension: int
    rank: int
    blocks: int
    theta: int
    eta: Exact
    constant: Exact


def columns(p: Chain) -> fmpq:
    """``a = k l / (20 eta)``."""
    return fmpq(p.rank * p.blocks) / (20 * rational(p.eta))


def rows(p: Chain) -> fmpq:
    """``W - a``."""
    return p.window - columns(p)


def tau(p: Chain) -> fmpq:
    """``2 100^theta W d / l``."""
    return fmpq(2 * 100**p.theta * p.window * p.dimension, p.blocks)


def share(p: Chain) -> fmpq:
    """``100^theta k (W - a) (1/10 + 1/99)``."""
    return (fmpq(1, 10) + fmpq(1, 99)) * rows(p) * int(100**p.theta * p.rank)


def psi(p: Chain) -> fmpq:
    """``4 100^theta W d / l + 100^theta k (W - a)(1/10 + 1/99) + 2 tau^2``."""
    return 2 * tau(p) + share(p) + 2 * tau(p) ** 2


def geometric_margin(p: Chain) -> arb:
    """``100^theta / 99`` minus the sum of 100^theta' over 1 <= theta' < theta."""
    return arb(fmpq(100**p.theta, 99) - sum(100**block for block in range(1, p.theta)))


def second_line_margin(p: Chain) -> arb:
    """``tau - (a - k)(W - a) 100^theta / l - a (W - a) 100^theta / (99 l)``."""
    unit = rows(p) * 100**p.theta / p.blocks
    return arb(tau(p) - (columns(p) - p.rank) * unit - columns(p) * unit / 99)


def multiplicative_margin(p: Chain) -> arb:
    """``100^theta k (W - a)(1/10 + 1/99) - 2 eta tau``: from 2(1 + eta) tau to 2 tau and the share."""
    return arb(share(p) - 2 * rational(p.eta) * tau(p))


def third_line_margin(p: Chain) -> arb:
    """``4 100^theta W d / l + 100^theta k (W - a)/5 - 2 tau - share``."""
    line = 4 * 100**p.theta * fmpq(p.window * p.dimension, p.blocks) + 100**p.theta * p.rank * rows(p) / 5
    return arb(line - 2 * tau(p) - share(p))


def large_psi_margin(p: Chain) -> arb:
    """``Psi - 40 k W``."""
    return arb(psi(p) - 40 * p.rank * p.window)


def large_tau_margin(p: Chain) -> arb:
    """``tau - 20 k W``."""
    return arb(tau(p) - 20 * p.rank * p.window)


def large_root_margin(p: Chain) -> arb:
    """``Psi - 100^theta``, of which the roots are compared."""
    return arb(psi(p) - 100**p.theta)


def outside(p: Chain) -> fmpq:
    """Sum of |M_i|^2 over the columns outside C in the blocks up to theta: what the fourth sum of Psi can take."""
    earlier = sum(100**block for block in range(1, p.theta))
    return rows(p) * ((columns(p) / p.blocks - p.rank) * int(100**p.theta) + columns(p) / p.blocks * int(earlier))


def remainder_margin(p: Chain) -> arb:
    """``100^theta k (W - a)/5 + c 100^theta a - (Psi - sum of |M_i|^2)``: what is left for the columns of C."""
    allowed = 100**p.theta * p.rank * rows(p) / 5 + rational(p.constant) * 100**p.theta * columns(p)
    return arb(allowed - (psi(p) - outside(p)))


def fraction_margin(p: Chain) -> arb:
    """``(1/10 + 1/99) - 1/5``, times the k (W - a) entries: wrong signs cost at least 100^theta each."""
    return arb(p.rank * rows(p) * (fmpq(1, 10) + fmpq(1, 99) - fmpq(1, 5)))


def theta_margin(p: Chain) -> arb:
    """``l - theta``."""
    return arb(p.blocks - p.theta)


def half_margin(p: Chain) -> arb:
    """``d/2 - a``."""
    return arb(fmpq(p.dimension, 2) - columns(p))


def window_margin(p: Chain) -> arb:
    """``W - a``."""
    return arb(rows(p))


CHAIN = (
    whole("window", 2),
    whole("dimension", 1),
    whole("rank", 1),
    whole("blocks", 1),
    whole("theta", 1),
    exceeds("theta <= l", theta_margin, strict=False),
    positive("eta"),
    below("eta", 1),
    exceeds("a <= d/2", half_margin, strict=False),
    exceeds("a < W", window_margin),
)


INEQUALITIES = (
    Step(
        "geometric-sum",
        Statement("the sum of 100^theta' over theta' < theta is at most 100^theta/99", geometric_margin, given=CHAIN),
        defect=None,
    ),
    Step(
        "error-second-line",
        Statement("the first line is at most 2 100^theta W d/l", second_line_margin, given=CHAIN),
        defect=None,
        note="For a <= d/2.",
    ),
    Step(
        "multiplicative-part",
        Statement("2 eta tau <= 100^theta k (W-a)(1/10 + 1/99)", multiplicative_margin, given=CHAIN),
        defect=Defect.FORMULA,
        note="True with the first line for tau; tau has been set to the larger 2 100^theta W d/l.",
    ),
    Step(
        "third-line",
        Statement("1/10 + 1/99 <= 1/5, and 2 tau = 4 100^theta W d/l", third_line_margin, given=CHAIN),
        defect=None,
    ),
    Step(
        "large-psi",
        Statement("Psi >= 40 k W", large_psi_margin, given=CHAIN),
        defect=None,
        note="The 'Psi depends quadratically on m and tau' of Lemma 11, as far as it is needed.",
    ),
    Step(
        "large-tau",
        Statement("tau >= 20 k W", large_tau_margin, given=CHAIN),
        defect=None,
        note="So tau >= 40, which the square of a sum needs.",
    ),
    Step(
        "large-root",
        Statement("sqrt(Psi) >= 10^theta", large_root_margin, given=CHAIN),
        defect=None,
        note="The entries of V~ are at most 10^theta + sqrt(Psi), hence 2 sqrt(Psi).",
    ),
    Step(
        "columns-of-c",
        Statement(
            "there is a constant c with which what the other columns leave of Psi is at most 100^theta k (W-a)/5 + c "
            "100^theta a",
            remainder_margin,
            given=CHAIN,
            exists=(Chosen("constant"),),
        ),
        defect=Defect.PROOF,
        note="Psi contains 2 tau = 4 100^theta W d/l and 2 tau^2; the other columns take a W 100^theta/l at most.",
    ),
    Step(
        "fraction",
        Statement(
            "100^theta k (W-a)/5 allows wrong signs at a fraction 1/10 + 1/99 of the places",
            fraction_margin,
            given=CHAIN,
        ),
        defect=Defect.FORMULA,
        note="At a fifth; then 5/6 - 1/5 is below 2/3.",
    ),
)
