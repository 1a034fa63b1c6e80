"""Algorithm 4: the principal components of a sketch (section 4.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import eigenvalues
from dpmatrix.spec.sliding_window.definitions import ProjectionPoint, projection_margin, right_cost
from dpmatrix.spec.sliding_window.loewner import flag, gram
from dpmatrix.spec.sliding_window.projection_costs import SPECTRAL, eigenvector_margin


@attrs.frozen
class Minimiser:
    """A sketch A~, m x d, a d x d matrix P that may be the answer of line 4, and k."""

    sketch: fmpq_mat
    solution: fmpq_mat
    k: int


def printed_answer_margin(p: Minimiser) -> arb:
    """Zero exactly when P is an orthogonal projection."""
    return projection_margin(ProjectionPoint(p.sketch, p.solution))


def attains_margin(p: Minimiser) -> arb:
    """Sum of all but the k largest eigenvalues of A~'A~, the least cost, minus |A~(1 - P)|_F^2."""
    least = sum(eigenvalues(gram(p.sketch))[p.k :], arb(0))
    return least - arb(right_cost(p.sketch, p.solution)) if _fits(p) else flag(holds=False)


def rank_margin(p: Minimiser) -> arb:
    """Slack of rank P <= k."""
    return arb(p.k - p.solution.rank())


def _fits(p: Minimiser) -> bool:
    order = p.sketch.ncols()
    return (p.solution.nrows(), p.solution.ncols()) == (order, order)


ALGORITHM_4 = Claim(
    id="sliding-window.algorithm-4",
    kind=Kind.ALGORITHM,
    source=Locator(
        "sliding-window",
        "Algorithm 4",
        "A~ from Algorithm 2 with r = (k + log(1/beta))/eta; output X~ = argmin of |A~(1-P)|_F over rank(P) <= k",
    ),
    statement=Statement(
        "every P of rank at most k that attains the least cost is an orthogonal projection, as Theorem 6 says of X~",
        printed_answer_margin,
        given=(
            whole("k", 1),
            exceeds("rank P <= k", rank_margin, strict=False),
            exceeds("P is d x d and attains the least cost", attains_margin, strict=False),
        ),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "The P of line 4 is any d x d matrix of rank at most k; the output is X~, and not the A~ of line 2; r and "
        "4r/eta are rounded up."
    ),
    because=(
        "A sketch with fewer rows than columns has a kernel, and then line 4 has answers that are no orthogonal "
        "projections: for A~ = (1, 0) and k = 1 the matrix with rows (1, 0), (7, 0) has rank 1 and cost 0. If A~ has "
        "rank below k the answer may have it too. beta and eta are used and not given, and k is called r. Over the "
        "orthogonal projections of rank k the projection onto the first k eigenvectors of A~'A~ is an answer, and so "
        "it is for any symmetric matrix, of whatever signs: that of algorithm-8+repair makes the output private."
    ),
    repair=Repair(
        "P over the orthogonal projections of rank k, cost Tr((1-P)C~); r rounded up; for privacy C~ from algorithm-8"
        "+repair in place of A~'A~",
        Statement(
            "the projection onto the first k eigenvectors of a symmetric C~ has the least cost Tr((1-P)C~)",
            eigenvector_margin,
            given=SPECTRAL,
        ),
    ),
    uses=("sliding-window.definition-2+repair",),
)
