"""Privacy profile of the Johnson-Lindenstrauss mechanism: `sliding-window.theorem-12`."""

from __future__ import annotations

from attrs import field, frozen
from flint import arb, fmpq

from dpmatrix.exact import Real
from dpmatrix.privacy.adjacency import Adjacency, replaces
from dpmatrix.privacy.domains import Range, dimension_of, nonnegative, positive
from dpmatrix.privacy.profiles.chain import replacement_bound
from dpmatrix.privacy.profiles.enclosure import certified, over_box
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail, upper_tail


def _rows(value: int) -> int:
    return dimension_of(value, "rows")


@frozen
class SketchProfile:
    r"""Profile of R A, with R an (r, n) matrix of independent standard normal variates and A the data, shape (n, d).

    Parameters
    ----------
    rows
        r >= 1.
    floor
        w > 0: a bound from below on the least singular value of the rows other than the one or two records in question,
        taken together, as the rows of w I give it when they are stacked under the data.
    norm_bound
        Bound on the Euclidean norm of a record, positive.
    adjacency
        Relation between neighbours.

    Raises
    ------
    InvalidParameterError
        If a parameter leaves its domain.

    Notes
    -----
    *One record.* The rows of R A are independent N(0, M), with M = A'A, and those of its neighbour N(0, M + vv').
    Written in the basis of ``M^(1/2)``, one covariance is the identity and the other has the eigenvalue ``1 + l``, ``l
    = v'M^-1 v``, in one direction: the other coordinates have the same law on both sides and tell nothing, and of the
    r normal variates in that direction the sum of squares is sufficient. So the pair is chi-square with r degrees of
    freedom against ``1 + l`` times the same; the larger l is, the easier, since a smaller ratio is a larger one with
    an independent normal variate added to both. The largest is ``l = norm_bound**2 / w**2``, attained by M = w^2 I.

    *Add/remove.* The larger of both directions, exactly.

    *Replace-one.* M + vv' against M + uu': the value for one record is a lower bound (u = 0), and `replacement_bound`
    an upper one.
    """

    rows: int = field(converter=_rows)
    floor: Real
    norm_bound: Real = 1
    adjacency: Adjacency = Adjacency.ADD_REMOVE_ONE
    _inflation: Range = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        replaces(self.adjacency)
        floor, norm = positive(self.floor, "floor"), positive(self.norm_bound, "norm_bound")
        lower, upper = (norm.lower / floor.upper) ** 2, (norm.upper / floor.lower) ** 2
        object.__setattr__(self, "_inflation", Range(lower, upper))

    @property
    def is_exact(self) -> bool:
        """Whether `delta` encloses one number as closely as wanted, and not only an interval around it."""
        return self._inflation.lower == self._inflation.upper and self.adjacency is Adjacency.ADD_REMOVE_ONE

    def delta(self, epsilon: Real) -> arb:
        """Enclose the least delta; see `PrivacyProfile.delta`. An interval only for replace-one."""
        at = nonnegative(epsilon, "epsilon")

        def largest() -> arb:
            inflation = self._inflation.upper
            if self.adjacency is Adjacency.ADD_REMOVE_ONE:
                return _one_record(at.lower, inflation, self.rows)
            # The losses of a vanishing record are not bounded, so all of epsilon may be worth spending on it.
            return replacement_bound(
                at.lower,
                at.lower,
                lambda part: wide_against_narrow(part, inflation, self.rows),
                lambda part: narrow_against_wide(part, inflation, self.rows),
            )

        return over_box(
            lambda: _one_record(at.upper, self._inflation.lower, self.rows),
            largest,
            self.is_exact and at.lower == at.upper,
        )


def _one_record(epsilon: fmpq, inflation: fmpq, rows: int) -> arb:
    return narrow_against_wide(epsilon, inflation, rows).max(wide_against_narrow(epsilon, inflation, rows))


def narrow_against_wide(epsilon: fmpq, inflation: fmpq, rows: int) -> arb:
    r"""Return sup over E of P(E) - e^epsilon Q(E), P = Gamma(r/2), Q = (1 + l) Gamma(r/2), epsilon >= 0, l >= 0.

    The log-ratio is :math:`\frac{r}{2}\log(1+l) - t\,\frac{l}{1+l}` and falls with t, so the event is
    :math:`t < \frac{1+l}{l}(\frac{r}{2}\log(1+l) - \epsilon)`, impossible once epsilon reaches the greatest loss.
    A rational epsilon never equals that loss, as the logarithm of a rational other than 1 is irrational.
    """
    if inflation == 0:
        return arb(0)
    half = arb(fmpq(rows, 2))

    def evaluate() -> arb:
        slack = half * arb(inflation).log1p() - epsilon
        if slack <= 0:
            return arb(0)
        if not slack > 0:
            return arb("nan")
        threshold = slack / arb(inflation)
        return lower_tail(threshold * (1 + arb(inflation)), half) - arb(epsilon).exp() * lower_tail(threshold, half)

    return certified(evaluate, "a sketch profile", zero_allowed=True)


def wide_against_narrow(epsilon: fmpq, inflation: fmpq, rows: int) -> arb:
    r"""Return sup over E of Q(E) - e^epsilon P(E), with P and Q of `narrow_against_wide`.

    The event is :math:`t > \frac{1+l}{l}(\frac{r}{2}\log(1+l) + \epsilon)`.
    """
    if inflation == 0:
        return arb(0)
    half = arb(fmpq(rows, 2))

    def evaluate() -> arb:
        threshold = (half * arb(inflation).log1p() + epsilon) / arb(inflation)
        return upper_tail(threshold, half) - arb(epsilon).exp() * upper_tail(threshold * (1 + arb(inflation)), half)

    return certified(evaluate, "a sketch profile")
