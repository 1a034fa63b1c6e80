"""Errors as the document compares or rewrites them: Corollary 2, Theorems 14 to 17."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_most, below, equality, exceeds, positive, whole
from dpmatrix.spec.sliding_window.distinguishing import noise_degrees
from dpmatrix.spec.sliding_window.sketch_privacy import floor


@attrs.frozen
class ErrorParameters:
    """The dimension d, or n, the guarantee, and a constant c."""

    dimension: int
    epsilon: Exact
    delta: Exact
    constant: Exact


def degrees(p: ErrorParameters) -> arb:
    """``tau = d + 14 log(4/delta)/epsilon^2``."""
    return noise_degrees(p.dimension, p.epsilon, p.delta)


def cited_margin(p: ErrorParameters) -> arb:
    """``c sqrt(n log(1/delta)) log(1/delta)/epsilon - sqrt(tau log tau)/epsilon``: errors for one vertex."""
    level, tau = -ball(p.delta).log(), degrees(p)
    cited = ball(p.constant) * (p.dimension * level).sqrt() * level
    return (cited - (tau * tau.log()).sqrt()) / ball(p.epsilon)


def linear_constant(epsilon: Exact, delta: Exact) -> arb:
    """``sqrt((1 + g) (1 + log(1 + g)/log 2))``, g = 14 log(4/delta)/epsilon^2."""
    one = noise_degrees(1, epsilon, delta)
    return (one * (1 + one.log() / arb(2).log())).sqrt()


def linear_margin(p: ErrorParameters) -> arb:
    """Smaller of ``sqrt(d tau log tau) - d sqrt(log d)`` and ``c d sqrt(log(d + 1)) - sqrt(d tau log tau)``."""
    d, tau = arb(p.dimension), degrees(p)
    norm = (d * tau * tau.log()).sqrt()
    return (norm - d * d.log().sqrt()).min(ball(p.constant) * d * (d + 1).log().sqrt() - norm)


def rare_margin(p: ErrorParameters) -> arb:
    """``1/n - delta``."""
    return arb(fmpq(1, p.dimension) - rational(p.delta))


def loose_margin(p: ErrorParameters) -> arb:
    """``eps^2 - 1/n``, for eps > 0."""
    return arb(rational(p.epsilon) ** 2 - fmpq(1, p.dimension))


def value_margin(p: ErrorParameters) -> arb:
    """Minus the distance of tau log tau from its value with d + log(1/delta)/epsilon^2 for tau."""
    tau = degrees(p)
    other = p.dimension - ball(p.delta).log() / square(ball(p.epsilon))
    return equality(tau * tau.log(), other * other.log())


@attrs.frozen
class ManyQueries:
    """The number q of queries, the dimension d, and the guarantee."""

    queries: int
    dimension: int
    epsilon: Exact
    delta: Exact


def fewer_queries_margin(p: ManyQueries) -> arb:
    """``tau log tau - log q log d / epsilon``: what Theorem 15 states, minus what Theorem 5 does."""
    tau = noise_degrees(p.dimension, p.epsilon, p.delta)
    return tau * tau.log() - arb(p.queries).log() * arb(p.dimension).log() / ball(p.epsilon)


def number_margin(p: ManyQueries) -> arb:
    """``d - q``."""
    return arb(p.dimension - p.queries)


@attrs.frozen
class EveryTime:
    """W outputs of Algorithm 2, its r, the guarantee of one of them, and a constant c."""

    window: int
    rank: int
    epsilon: Exact
    delta: Exact
    constant: Exact


def every_time_margin(p: EveryTime) -> arb:
    """``c r W log(1/delta)^2/epsilon^2 - W sigma^2``."""
    claimed = ball(p.constant) * p.rank * square(ball(p.delta).log()) / square(ball(p.epsilon))
    return p.window * (claimed - square(floor(p.rank, p.epsilon, p.delta)))


GUARANTEE = (positive("epsilon"), positive("delta"), below("delta", 1))

CITED_ERROR = Step(
    "smaller-error",
    Statement(
        "there is a constant c with which, for n >= 2, delta <= 1/n and eps >= 1/sqrt(n), sqrt(tau log tau)/eps is at "
        "most c times the sqrt(n log(1/delta)) log(1/delta)/eps that is quoted for another algorithm",
        cited_margin,
        given=(
            whole("dimension", 2),
            positive("epsilon"),
            positive("delta"),
            exceeds("delta <= 1/n", rare_margin, strict=False),
            exceeds("eps >= 1/sqrt(n)", loose_margin, strict=False),
        ),
        exists=(Chosen("constant", exhibited=22),),
    ),
    defect=None,
    note="The range is unsaid. For eps below about sqrt(log(1/delta)/n), or a fixed delta and a huge n, it is larger.",
)
LINEAR_ERROR = Step(
    "linear-in-d",
    Statement(
        "the additive error is linear in d: for all eps and delta there is a constant c with d sqrt(log d) <= sqrt(d "
        "tau log tau) <= c d sqrt(log(d+1))",
        linear_margin,
        given=(whole("dimension", 1), *GUARANTEE),
        exists=(Chosen("constant", after=("epsilon", "delta"), exhibited=linear_constant),),
    ),
    defect=None,
    note="In the norm, which is what Theorem 6 bounds, and but for the root of a logarithm. The squared norm as stated "
    "has d^2 log d.",
)
NOISE_VALUE = Step(
    "noise-value",
    Statement(
        "tau log tau = (d + log(1/delta)/eps^2) log(d + log(1/delta)/eps^2)",
        value_margin,
        given=(whole("dimension", 1), *GUARANTEE),
    ),
    defect=Defect.SLIP,
    note="tau has 14 log(4/delta). A slip: for delta <= 1/2 both are equal up to a constant, and only tau log tau is "
    "used.",
)
FEWER_QUERIES = Step(
    "below-theorem-5",
    Statement(
        "for up to d queries the additive error log q log d/eps of Theorem 5 is at most the tau log tau that follows "
        "from Theorem 14",
        fewer_queries_margin,
        given=(
            whole("queries", 2),
            whole("dimension", 2),
            *GUARANTEE,
            exceeds("q <= d", number_margin, strict=False),
        ),
    ),
    defect=None,
    note="A comparison of errors as they are stated, up to constants; neither theorem holds as stated.",
)
EVERY_TIME = Step(
    "naive-publication",
    Statement(
        "there is a constant c with which, for delta <= 1/2, the sigma^2 of the outputs of all W times add up to "
        "W sigma^2 <= c r W log(1/delta)^2/eps^2",
        every_time_margin,
        given=(
            whole("window", 1),
            whole("rank", 1),
            positive("epsilon"),
            positive("delta"),
            at_most("delta", fmpq(1, 2)),
        ),
        exists=(Chosen("constant", exhibited=2601),),
    ),
    defect=None,
    note=(
        "Each output has eps and delta of its own. For one guarantee of all of them, by advanced composition, the "
        "delta of each falls with W, and a factor log W is added."
    ),
)
