"""Privacy profile of Wishart noise: what `wishart.theorem-4` should have computed."""

from __future__ import annotations

from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real
from dpmatrix.privacy.adjacency import Adjacency, replaces
from dpmatrix.privacy.domains import Range, dimension_of, nonnegative, parameter_range, positive
from dpmatrix.privacy.profiles.chain import replacement_bound
from dpmatrix.privacy.profiles.chi_square import absent_against_present, outside_support, present_against_absent
from dpmatrix.privacy.profiles.enclosure import over_box
from dpmatrix.privacy.profiles.protocol import Direction


@frozen
class WishartProfile:
    r"""Profile of X'X + W, or of a multiple of it, with W ~ W_d(m, cI) as in `wishart.definition-2`, m > d - 1.

    Parameters
    ----------
    dimension
        Size d >= 1 of the matrix.
    degrees_of_freedom
        The m of W_d(m, cI), above d - 1, not necessarily an integer; d + 1 in `wishart.algorithm-2`.
    scale
        The c > 0 of W_d(m, cI).
    squared_norm
        Bound r > 0 on |v|^2, where a record contributes vv' to the released matrix: 1 for X'X and unit records,
        1/n for X'X / n.
    adjacency
        Relation between neighbours.

    Raises
    ------
    InvalidParameterError
        If a parameter leaves its domain. For m <= d - 1 the noise is singular and has no density.

    Notes
    -----
    *One record.* Let P be the law of S = vv' + W and Q that of W. By `wishart.definition-2` dP/dQ is
    (det(S - vv') / det S)^((m-d-1)/2) exp(|v|^2 / 2c) where S - vv' is positive definite and zero elsewhere. The ratio
    of determinants is 1 - v'S^-1 v = (t - |v|^2) / t with t = |v|^2 / (v'S^-1 v), so t is sufficient. Under Q, t is a
    Schur complement, c times chi-square with k = m - d + 1 degrees of freedom; under P it is |v|^2 plus the same
    (Sherman-Morrison). Halved and divided by c it is the pair of `chi_square`, with x = |v|^2 / 2c, and the largest
    |v| is the worst.

    *Add/remove.* The larger of both directions, exactly.

    *Replace-one, m = d + 1.* Where both densities live the log-ratio is the constant l = (|v|^2 - |w|^2) / 2c. The
    mass of that part under P is at least Pr(W >= ww') = exp(-|w|^2 / 2c). So the divergence of P from Q is at most
    1 - exp(-|w|^2 / 2c) if epsilon >= l, and otherwise at most 1 - exp(epsilon - |v|^2 / 2c). Both are at most
    1 - exp(-r / 2c), which v = 0 attains: the profile is the same number for every epsilon.

    *Replace-one, other m.* For d = 1 a translation turns two records into one, so one record is exact. For d >= 2
    the value for one record is a lower bound and `replacement_bound` an upper one.
    """

    dimension: int = field(converter=dimension_of)
    degrees_of_freedom: Real
    scale: Real
    squared_norm: Real = 1
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    _shift: Range = field(init=False, repr=False, eq=False)
    _degrees: Range = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        replaces(self.adjacency)
        degrees = _degrees_of_freedom(self.degrees_of_freedom, self.dimension)
        object.__setattr__(self, "_degrees", _chi_square_degrees(degrees, self.dimension))
        object.__setattr__(self, "_shift", _shift(self.squared_norm, self.scale))

    @property
    def is_exact(self) -> bool:
        """Whether `delta` encloses one number as closely as wanted, and not only an interval around it."""
        return self._is_point and (
            self.adjacency is Adjacency.ADD_REMOVE_ONE or self.dimension == 1 or self._degrees.upper == 2
        )

    @property
    def _is_point(self) -> bool:
        return self._shift.lower == self._shift.upper and self._degrees.lower == self._degrees.upper

    def hockey_stick(self, epsilon: Real, direction: Direction) -> arb:
        """Enclose the divergence between a data set with a record of the largest norm and one with zero instead.

        Errors as in `PrivacyProfile.delta`.
        """
        at = nonnegative(epsilon, "epsilon")
        if not isinstance(direction, Direction):
            raise InvalidParameterError("direction", f"{direction!r} is no direction", "pass a member of Direction")
        present = direction is Direction.PRESENT_AGAINST_ABSENT
        divergence = present_against_absent if present else absent_against_present
        return over_box(
            lambda: divergence(at.upper, self._shift.lower, self._degrees.upper),
            lambda: divergence(at.lower, self._shift.upper, self._degrees.lower),
            self._is_point and at.lower == at.upper,
        )

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta; see `PrivacyProfile.delta`.

        An interval only, whatever the precision, for replace-one with d >= 2 and m > d + 1.
        """
        at = nonnegative(epsilon, "epsilon")

        def largest() -> arb:
            shift, degrees = self._shift.upper, self._degrees.lower
            if self.adjacency is Adjacency.ADD_REMOVE_ONE or self.dimension == 1 or degrees == 2:
                return _one_record(at.lower, shift, degrees)
            # Beyond the shift nothing is gained for m > d + 1, since a vanishing record has no greater loss.
            return replacement_bound(
                at.lower,
                min(at.lower, shift) if degrees > 2 else at.lower,
                lambda part: present_against_absent(part, shift, degrees),
                lambda part: absent_against_present(part, shift, degrees),
            )

        return over_box(
            lambda: _one_record(at.upper, self._shift.lower, self._degrees.upper),
            largest,
            self.is_exact and at.lower == at.upper,
        )

    def support_failure(self) -> arb:
        """Enclose the largest probability, over neighbours, of an output that the neighbour can never produce."""
        return support_failure(self.dimension, self.degrees_of_freedom, self.scale, self.squared_norm)


def support_failure(dimension: int, degrees_of_freedom: Real, scale: Real, squared_norm: Real = 1) -> arb:
    """Enclose the largest mass outside the common support of two neighbours, under either adjacency relation.

    vv' + W leaves the support of ww' + W where it is not at least ww'. That is most likely for v = 0 and the largest
    w, where it is Pr(c chi^2_k < r), k = m - d + 1: 1 - exp(-r / 2c) for m = d + 1, hence 1 - exp(-epsilon / 3) for
    the r = 1/n and c = 3/(2 n epsilon) of `wishart.algorithm-2`.

    Parameters
    ----------
    dimension, scale, squared_norm
        As in `WishartProfile`.
    degrees_of_freedom
        The m of W_d(m, cI), above d - 1.

    Raises
    ------
    InvalidParameterError
        If a parameter leaves its domain.
    """
    size = dimension_of(dimension)
    degrees = _degrees_of_freedom(degrees_of_freedom, size)
    chi_square = _chi_square_degrees(degrees, size)
    shift = _shift(squared_norm, scale)
    return over_box(
        lambda: outside_support(shift.lower, chi_square.upper),
        lambda: outside_support(shift.upper, chi_square.lower),
        shift.lower == shift.upper and chi_square.lower == chi_square.upper,
    )


def _one_record(epsilon: fmpq, shift: fmpq, degrees: fmpq) -> arb:
    present = present_against_absent(epsilon, shift, degrees)
    absent = absent_against_present(epsilon, shift, degrees)
    return absent.max(present)


def _degrees_of_freedom(value: Real, dimension: int) -> Range:
    degrees = parameter_range(value, "degrees_of_freedom")
    if degrees.lower <= dimension - 1:
        raise InvalidParameterError(
            "degrees_of_freedom", f"{value} is not certainly above d - 1", "pass more than dimension - 1"
        )
    return degrees


def _chi_square_degrees(degrees: Range, dimension: int) -> Range:
    return Range(degrees.lower - dimension + 1, degrees.upper - dimension + 1)


def _shift(squared_norm: Real, scale: Real) -> Range:
    bound, noise = positive(squared_norm, "squared_norm"), positive(scale, "scale")
    return Range(bound.lower / (2 * noise.upper), bound.upper / (2 * noise.lower))
