"""The well-known facts of section 2: singular values, norms, decompositions, pseudoinverse and densities."""

from __future__ import annotations

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.spec.common.conditions import exceeds, positive, whole
from dpmatrix.spec.sliding_window.decompositions import EVERY_DECOMPOSITION, EVERY_NORM
from dpmatrix.spec.sliding_window.notation_margins import (
    DECOMPOSED,
    SYMMETRIC,
    best_rank_margin,
    beyond_margin,
    count_margin,
    decreasing_tail_margin,
    decreasing_values_margin,
    degrees_margin,
    far_margin,
    frobenius_margin,
    frobenius_trace_margin,
    idempotent_margin,
    largest_singular_margin,
    least_magnitude_margin,
    least_singular_margin,
    normal_mass_margin,
    orthogonal_margin,
    printed_pseudoinverse_margin,
    projection_values_margin,
    pseudoinverse_margin,
    rank_orthonormal_margin,
    singular_triples_margin,
    spectral_bound_margin,
    stack_shape_margin,
    symmetric_margin,
    times_margin,
    wishart_total_margin,
)
from dpmatrix.spec.sliding_window.symmetric_facts import SYMMETRIC_FACTS

NOTATION_FACTS = Claim(
    id="sliding-window.notation-facts",
    kind=Kind.LEMMA,
    source=Locator(
        "sliding-window",
        "section 2",
        "s_min = min{|lambda_max|, |lambda_min|} and the other well-known facts; one step each",
    ),
    statement=Statement(
        "for symmetric A, s_min(A) = min(|lambda_max(A)|, |lambda_min(A)|)", least_singular_margin, given=SYMMETRIC
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    because=(
        "diag(1, 0, -1) has s_min = 0 and both extreme eigenvalues of magnitude 1. The least singular value is the "
        "least magnitude of any eigenvalue. Of the other facts, five are misprinted: orthogonal matrices have no "
        "spectral decomposition over the reals, the pseudoinverse is transposed and divides by zero, the stack "
        "A_[t1,t2] has t_2 - t_1 + 1 rows of length d, and the Wishart density has the wrong sign and power of 2."
    ),
    repair=Repair(
        "the minimum over all eigenvalues",
        Statement("for symmetric A, s_min(A) = min_i |lambda_i(A)|", least_magnitude_margin, given=SYMMETRIC),
    ),
    steps=(
        Step(
            "largest-singular-value",
            Statement("s_max(A) = max(|lambda_max|, |lambda_min|)", largest_singular_margin, given=SYMMETRIC),
            defect=None,
        ),
        Step(
            "projection-eigenvalues",
            Statement(
                "a projection of rank k has the eigenvalues 0 and 1, 1 with multiplicity k",
                projection_values_margin,
                given=(*SYMMETRIC, Condition("P^2 = P", idempotent_margin)),
            ),
            defect=None,
            note="Both occur only for 0 < k < n.",
        ),
        Step(
            "number-of-singular-values",
            Statement("at most min(n, m) singular values are not zero", count_margin),
            defect=None,
        ),
        Step(
            "spectral-norm",
            Statement("|Ax| <= s_max |x|, so that the spectral norm is s_max", spectral_bound_margin),
            defect=None,
        ),
        Step(
            "frobenius-norm",
            Statement("sum A[i,j]^2 = sum s_i(A)^2", frobenius_margin),
            defect=None,
            note="The second ':=' is a fact and not a definition.",
        ),
        Step("frobenius-trace", Statement("|A|_F^2 = Tr(A'A)", frobenius_trace_margin), defect=None),
        Step(
            "orthogonal-decomposition",
            Statement(
                "orthonormal matrices can be written as U Lambda U' too: then they are symmetric",
                symmetric_margin,
                given=(Condition("U'U = I", orthogonal_margin),),
            ),
            defect=Defect.REMARK,
            note="A rotation is not symmetric; over the complex numbers it is true.",
        ),
        Step(
            "singular-value-decomposition",
            Statement(
                "A = sum s_i x_i y_i' has A y_i = s_i x_i, A'x_i = s_i y_i", singular_triples_margin, given=DECOMPOSED
            ),
            defect=None,
        ),
        EVERY_DECOMPOSITION,
        Step(
            "pseudoinverse",
            Statement(
                "A^+ = sum_{i <= min(n,d)} x_i y_i' / s_i has A A^+ A = A",
                printed_pseudoinverse_margin,
                given=DECOMPOSED,
            ),
            defect=Defect.SLIP,
            note="A^+ = sum over s_i > 0 of y_i x_i' / s_i.",
        ),
        Step(
            "pseudoinverse-mended",
            Statement(
                "sum over s_i > 0 of y_i x_i' / s_i meets the four equations of Penrose",
                pseudoinverse_margin,
                given=DECOMPOSED,
            ),
            defect=None,
        ),
        Step(
            "best-rank-k",
            Statement(
                "no B of rank k is closer to A in Frobenius norm than [A]_k, at distance sqrt(sum_{i>k} s_i^2)",
                best_rank_margin,
                given=(
                    Condition("x_i and y_i are orthonormal", rank_orthonormal_margin),
                    Condition("s_1 >= s_2 >= ... >= 0", decreasing_values_margin),
                ),
            ),
            defect=None,
            note="Every other unitarily invariant norm is best-rank-k-every-norm.",
        ),
        EVERY_NORM,
        Step(
            "stack-shape",
            Statement(
                "A_[t1,t2] has shape (t_2 - t_1) x W",
                stack_shape_margin,
                given=(whole("first", 1), whole("dimension", 1), exceeds("t_1 <= t_2", times_margin, strict=False)),
            ),
            defect=Defect.SLIP,
            note="(t_2 - t_1 + 1) x d.",
        ),
        Step(
            "normal-density",
            Statement(
                "exp(-(x - mu)^2/(2 sigma^2))/(sqrt(2 pi) sigma) is a density",
                normal_mass_margin,
                given=(positive("sigma"),),
            ),
            defect=None,
        ),
        Step(
            "wishart-exponent",
            Statement(
                "the Wishart density with exp(+Tr(C^-1 R)/2), at d = 1, falls beyond m + 2",
                decreasing_tail_margin,
                given=(
                    positive("degrees_of_freedom"),
                    exceeds("t > m + 2", far_margin),
                    exceeds("T > t", beyond_margin),
                ),
            ),
            defect=Defect.SLIP,
            note="exp(-Tr(C^-1 R)/2); as printed it grows without bound and has no integral.",
        ),
        Step(
            "wishart-constant",
            Statement(
                "with the exponent mended, the constant 2^(md) gives integral 1",
                wishart_total_margin,
                given=(whole("dimension", 1), exceeds("m > d - 1", degrees_margin)),
            ),
            defect=Defect.SLIP,
            note="2^(md/2); see cross.wishart-density.",
        ),
        *SYMMETRIC_FACTS,
    ),
)
