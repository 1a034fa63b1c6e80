r"""The normalising constant of the Bingham law: the mean of exp(v'Bv) over the unit sphere, enclosed.

It is the hypergeometric function :math:`{}_1F_1(\tfrac12; \tfrac d2; B)` of a matrix argument. With z standard normal,
:math:`E (z'Bz)^j = E |z|^{2j} \, E (v'Bv)^j = 2^j (d/2)_j \, E (v'Bv)^j`, and the generating function of the left side
is :math:`\sum_j (2t)^j E(z'Bz)^j / (2^j j!) = \det(I - 2tB)^{-1/2}`. So :math:`E (v'Bv)^j / j! = h_j / (d/2)_j`, where
:math:`\sum_j h_j t^j = \det(I - tB)^{-1/2} = \exp(\tfrac12 \sum_i \mathrm{tr}(B^i) t^i / i)`: no eigenvalue is needed,
and the remainder after J terms is at most that of the exponential series at a bound of the spectral norm.
"""

from __future__ import annotations

from flint import arb, arb_mat, arb_series, ctx, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import nonnegative_root

MOST_TERMS = 20_000
_SQUARINGS = 4


def log_bingham_constant(matrix: fmpq_mat) -> arb:
    """Enclose ``log E exp(v'Bv)``, v uniform on the unit sphere.

    Parameters
    ----------
    matrix
        B, shape (d, d), symmetric. All terms of the series are positive where no eigenvalue is negative.

    Raises
    ------
    InvalidParameterError
        If the matrix is empty or not symmetric, or its norm asks for `MOST_TERMS` terms or more.
    """
    size = matrix.nrows()
    if size == 0 or matrix != matrix.transpose():
        raise InvalidParameterError("matrix", "it is empty or not symmetric", "pass a symmetric matrix")
    bound = _spectral_bound(matrix)
    terms = _terms(bound)
    factor = power = arb_mat(matrix)
    exponents = [arb(0)]
    for order in range(1, terms):
        exponents.append(power.trace() / (2 * order))
        power = power * factor
    before, ctx.cap = ctx.cap, terms
    try:
        series = arb_series(exponents, prec=terms).exp()
        coefficients = [series[order] for order in range(terms)]
    finally:
        ctx.cap = before
    total, weight = arb(0), arb(1)
    for order, coefficient in enumerate(coefficients):
        total += coefficient * weight
        weight /= fmpq(size, 2) + order
    return (total + arb(0, _tail(bound, terms))).log()


def _spectral_bound(matrix: fmpq_mat) -> arb:
    """Bound the spectral norm by ``tr(B**16)**(1/16)``."""
    power = arb_mat(matrix)
    for _ in range(_SQUARINGS):
        power = power * power
    norm = power.trace()
    for _ in range(_SQUARINGS):
        norm = nonnegative_root(norm)
    return norm.upper()


def _tail(bound: arb, terms: int) -> arb:
    """Bound the sum of ``bound**j / j!`` over j >= terms, for terms >= 2 bound: at most twice its first term."""
    return 2 * bound**terms / arb(terms).fac()


def _terms(bound: arb) -> int:
    """Return the least J with the bound of the remainder below ``2**-prec exp(-bound)``.

    The mean is at least exp(-bound), whatever has cancelled. J is at least 2 bound: below that bound**J / J! is above
    2/5, since J! <= e sqrt(J) (J/e)**J and (e/2)**J > e sqrt(J) 2/5.
    """
    target = (-bound).exp() * arb(2) ** (-ctx.prec)
    for terms in range(1, MOST_TERMS):
        if _tail(bound, terms) < target:
            return terms
    raise InvalidParameterError("matrix", f"its norm is about {float(bound):.3g}", "scale the exponent down")
