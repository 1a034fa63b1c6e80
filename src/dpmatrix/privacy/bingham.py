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

MOST_TERMS = 20_000


def log_bingham_constant(matrix: fmpq_mat, shift: fmpq | int = 0) -> arb:
    """Enclose ``log E exp(v'Bv)``, v uniform on the unit sphere.

    Parameters
    ----------
    matrix
        B, shape (d, d), symmetric.
    shift
        Taken off the diagonal first and put back at the end, which changes nothing in exact numbers; about the
        least eigenvalue is best, as all terms of the series are positive then.

    Raises
    ------
    InvalidParameterError
        If the matrix is empty or not symmetric, or its norm asks for more than `MOST_TERMS` terms.
    """
    size = matrix.nrows()
    if size == 0 or matrix != matrix.transpose():
        raise InvalidParameterError("matrix", "it is empty or not symmetric", "pass a symmetric matrix")
    identity = fmpq_mat(size, size, [fmpq(int(i == j)) for i in range(size) for j in range(size)])
    shifted = matrix - shift * identity
    bound = _spectral_bound(shifted)
    terms = _terms(bound)
    powers, power = [arb(0)], arb_mat(identity)
    for order in range(1, terms):
        power = power * arb_mat(shifted)
        powers.append(power.trace() / (2 * order))
    before, ctx.cap = ctx.cap, terms
    try:
        series = arb_series(powers, prec=terms).exp()
        coefficients = [series[order] for order in range(terms)]
    finally:
        ctx.cap = before
    total, factor = arb(0), arb(1)
    for order, coefficient in enumerate(coefficients):
        total += coefficient * factor
        factor /= fmpq(size, 2) + order
    tail = _tail(bound, terms)
    # The mean itself is at least exp(-bound), whatever has cancelled.
    return (total + arb(0, tail)).log() + arb(fmpq(shift))


def _spectral_bound(matrix: fmpq_mat) -> arb:
    """Bound the spectral norm by ``tr(B**16)**(1/16)``."""
    power = arb_mat(matrix)
    scale = max((abs(entry) for entry in matrix.entries()), default=fmpq(0))
    if scale == 0:
        return arb(0)
    power = power / arb(scale)
    for _ in range(4):
        power = power * power
    return ((power.trace().log() / 16).exp() * arb(scale)).upper()


def _tail(bound: arb, terms: int) -> arb:
    """Bound the sum of ``bound**j / j!`` over j >= terms, for terms >= 2 bound: at most twice its first term."""
    return 2 * bound**terms / arb(terms).fac() if bound > 0 else arb(0)


def _terms(bound: arb) -> int:
    """Return J with the remainder below 2**-prec exp(-bound)."""
    target = (-bound).exp() * arb(2) ** (-ctx.prec)
    terms = 2 + int((2 * bound).ceil().upper().fmpz())
    while not _tail(bound, terms) < target:
        terms += 8
        if terms > MOST_TERMS:
            raise InvalidParameterError("matrix", f"its norm is about {float(bound):.3g}", "scale the exponent down")
    return terms
