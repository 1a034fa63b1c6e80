"""What is known of expressions by comparisons: bounds of linear forms, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

import attrs

from dpmatrix.tracing.evaluation import evaluate
from dpmatrix.tracing.expressions import Apply, Comparison, Expression, Number, is_integer, is_total, variables

Form = frozenset[tuple[Expression, Fraction]]
"""Terms of a linear form and their coefficients, integers without a common factor."""


@lru_cache(maxsize=1 << 16)
def linear(expression: Expression) -> tuple[dict[Expression, Fraction], Fraction]:
    """Write an expression as a sum of multiples of other ones and a number."""
    match expression:
        case Number(value):
            return {}, value
        case Apply("neg", (inside,)):
            return _combined(({}, Fraction(0)), linear(inside), Fraction(-1))
        case Apply("+", (left, right)):
            return _combined(linear(left), linear(right), Fraction(1))
        case Apply("-", (left, right)):
            return _combined(linear(left), linear(right), Fraction(-1))
        case Apply("*", (Number(factor), inside)) | Apply("*", (inside, Number(factor))):
            return _combined(({}, Fraction(0)), linear(inside), factor)
        case Apply("/", (inside, Number(divisor))) if divisor:
            return _combined(({}, Fraction(0)), linear(inside), 1 / divisor)
    return {expression: Fraction(1)}, Fraction(0)


def _combined(
    left: tuple[dict[Expression, Fraction], Fraction], right: tuple[dict[Expression, Fraction], Fraction], by: Fraction
) -> tuple[dict[Expression, Fraction], Fraction]:
    terms = dict(left[0])
    for term, coefficient in right[0].items():
        terms[term] = terms.get(term, Fraction(0)) + by * coefficient
    # a term that cancels may still say where the expression is defined
    kept = {term: coefficient for term, coefficient in terms.items() if coefficient or not is_total(term)}
    return kept, left[1] + by * right[1]


@attrs.frozen
class Bounds:
    """An interval; each end is a number, or infinite, and belongs to it unless it is open."""

    lower: Fraction | float = -math.inf
    lower_open: bool = True
    upper: Fraction | float = math.inf
    upper_open: bool = True

    def meet(self, other: Bounds) -> Bounds:
        """Return the intersection."""
        lower, lower_open = max((self.lower, self.lower_open), (other.lower, other.lower_open))
        upper, upper_closed = min((self.upper, not self.upper_open), (other.upper, not other.upper_open))
        return Bounds(lower, lower_open, upper, not upper_closed)

    def of_integers(self) -> Bounds:
        """Return the interval between the least and the greatest integer inside."""
        lower, upper = self.lower, self.upper
        if math.isfinite(lower):
            lower = Fraction(math.floor(lower) + 1 if self.lower_open else math.ceil(lower))
        if math.isfinite(upper):
            upper = Fraction(math.ceil(upper) - 1 if self.upper_open else math.floor(upper))
        return Bounds(lower, not math.isfinite(lower), upper, not math.isfinite(upper))

    @property
    def point(self) -> Fraction | None:
        """The only number inside, if there is one."""
        closed = not (self.lower_open or self.upper_open)
        return Fraction(self.lower) if closed and self.lower == self.upper else None

    @property
    def empty(self) -> bool:
        """Whether no number is inside."""
        return self.lower > self.upper or (self.lower == self.upper and (self.lower_open or self.upper_open))


def less(bounds: Bounds, value: Fraction) -> bool | None:
    """Whether everything in an interval is less than a number, or nothing is; None where neither is."""
    if bounds.upper < value or (bounds.upper == value and bounds.upper_open):
        return True
    return False if bounds.lower >= value else None


def equal(bounds: Bounds, value: Fraction) -> bool | None:
    """Whether an interval holds a number alone, or does not hold it; None where neither is so."""
    if bounds.point == value:
        return True
    outside = (
        bounds.upper < value
        or bounds.lower > value
        or (bounds.upper == value and bounds.upper_open)
        or (bounds.lower == value and bounds.lower_open)
    )
    return False if outside else None


class Facts:
    """Comparisons that are known, and what follows from each of them by one linear form.

    Attributes
    ----------
    signs
        What was found of the signs of expressions; forgotten when something is added.
    """

    def __init__(self, known: Iterable[tuple[Comparison, bool]] = ()) -> None:
        self._bounds: dict[Form, Bounds] = {}
        self._excluded: dict[Form, set[Fraction]] = {}
        self.signs: dict[Expression, frozenset[int]] = {}
        for comparison, answer in known:
            self.assume(comparison, answer)

    def bounds(self, expression: Expression) -> Bounds:
        """Return the interval that an expression is known to lie in, as one linear form."""
        terms, constant = linear(expression)
        if not terms:
            return Bounds(constant, lower_open=False, upper=constant, upper_open=False)
        form, scale = self._form(terms)
        known = self._known(form) if scale > 0 else _mirrored(self._known(form))
        lower, upper = (
            end * abs(scale) + constant if isinstance(end, Fraction) else end for end in (known.lower, known.upper)
        )
        return Bounds(lower, known.lower_open, upper, known.upper_open)

    def answer(self, comparison: Comparison) -> bool | None:
        """Return whether a comparison is true, or None where it is not known."""
        terms, constant = _difference(comparison)
        if not terms:
            return constant < 0 if comparison.relation == "<" else constant == 0
        form, scale = self._form(terms)
        known, value = self._known(form), -constant / scale
        if comparison.relation == "=":
            found = False if value in self._excluded.get(form, set()) else equal(known, value)
        else:
            found = less(known, value) if scale > 0 else less(_mirrored(known), -value)
        return _closed(comparison) if found is None else found

    def assume(self, comparison: Comparison, answer: bool) -> None:
        """Add what a comparison says when its answer is this."""
        self.signs.clear()
        terms, constant = _difference(comparison)
        if not terms:
            return
        form, scale = self._form(terms)
        value, new = -constant / scale, Bounds()
        if comparison.relation == "=" and not answer:
            self._excluded.setdefault(form, set()).add(value)
        elif comparison.relation == "=":
            new = Bounds(value, lower_open=False, upper=value, upper_open=False)
        elif answer is (scale > 0):
            new = Bounds(upper=value, upper_open=answer)
        else:
            new = Bounds(lower=value, lower_open=answer)
        self._bounds[form] = self._bounds.get(form, Bounds()).meet(new)

    @property
    def contradictory(self) -> bool:
        """Whether some linear form has no number left that it could be."""
        return any(self._known(form).empty for form in self._bounds)

    def _form(self, terms: dict[Expression, Fraction]) -> tuple[Form, Fraction]:
        """Return the known form that some terms are a multiple of, or else a new one, and the multiple."""
        numbers = [coefficient for coefficient in terms.values() if coefficient]
        scale = Fraction(
            math.gcd(*(number.numerator for number in numbers)), math.lcm(*(number.denominator for number in numbers))
        )
        scale = scale or Fraction(1)
        mirrored = frozenset((term, -coefficient / scale) for term, coefficient in terms.items())
        if mirrored in self._bounds:
            return mirrored, -scale
        return frozenset((term, coefficient / scale) for term, coefficient in terms.items()), scale

    def _known(self, form: Form) -> Bounds:
        known = self._bounds.get(form, Bounds())
        whole = all(is_integer(term) for term, _ in form)
        while True:
            known = known.of_integers() if whole else known
            excluded = self._excluded.get(form, set())
            closer = attrs.evolve(
                known,
                lower_open=known.lower_open or known.lower in excluded,
                upper_open=known.upper_open or known.upper in excluded,
            )
            if closer == known:
                return known
            known = closer


def _mirrored(bounds: Bounds) -> Bounds:
    return Bounds(-bounds.upper, bounds.upper_open, -bounds.lower, bounds.lower_open)


def _difference(comparison: Comparison) -> tuple[dict[Expression, Fraction], Fraction]:
    return _combined(linear(comparison.left), linear(comparison.right), Fraction(-1))


def _closed(comparison: Comparison) -> bool | None:
    """Decide a comparison of constants, where balls separate them."""
    if variables(comparison.left, comparison.right):
        return None
    difference = evaluate(Apply("-", (comparison.left, comparison.right)), {})
    if difference < 0 or difference > 0:
        return comparison.relation == "<" and bool(difference < 0)
    return None
