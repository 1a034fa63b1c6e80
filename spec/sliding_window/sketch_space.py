"""Lemma 4 and Theorem 3: how many checkpoints Algorithm 2 keeps, and the theorem that collects its properties."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.approximate_update import (
    CLOSER,
    NEAR_SHAPES,
    not_close_margin,
    singular_drop_margin,
)
from dpmatrix.spec.sliding_window.dyadic_release import SEQUENCE_CHANGE
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.one_row_output import ONE_ROW, theorem_3_probability
from dpmatrix.spec.sliding_window.released_sums import RELEASED
from dpmatrix.spec.sliding_window.repeated_rows import REPEATED_ROWS, repeated_rows_margin
from dpmatrix.spec.sliding_window.running_totals import RUNNING_TOTALS
from dpmatrix.spec.sliding_window.sketch_bounds import nine_tenths
from dpmatrix.spec.sliding_window.sketch_privacy import PARAMETERS, private_row
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream, meant, shapes_margin
from dpmatrix.spec.sliding_window.stated_sizes import CHECKPOINT_SPACE, UPDATE_TIME
from dpmatrix.spec.sliding_window.update_costs import NAIVE_SPACE, TESTING_COST
from dpmatrix.spec.sliding_window.update_lemmas import StreamRun, structure


@attrs.frozen
class SpaceRun:
    """A run of Algorithm 2 of T = W rows, and the parameters r and eta."""

    run: SketchedStream
    rank: int
    eta: Exact


def sketches(p: SpaceRun) -> list[fmpq_mat]:
    """The matrices ``sigma Phi + sum of g_s'a_s`` from every stamp on, at the last time."""
    total = p.run.rows.nrows()
    return [meant(p.run, stamp, total) for stamp in range(1, total + 1)]


def spectrum_margin(p: SpaceRun) -> arb:
    """Rank r minus the number of singular values of the oldest sketch that are not zero."""
    return arb(p.rank - sketches(p)[0].rank())


def runs_fit(p: SpaceRun) -> arb:
    """0 when Phi has 4r/eta rows, shapes fit, T = W >= 2 and the rows have rank at most r."""
    run = p.run
    fits = shapes_margin(run) >= 0 and p.eta != 0 and run.base.nrows() == 4 * p.rank / rational(p.eta)
    return flag(bool(fits) and run.rows.nrows() == run.window >= 2 and run.rows.rank() <= p.rank)


SPACE = (
    whole("rank", 1),
    positive("eta"),
    below("eta", rational(1) / 4),
    exceeds("4r/eta rows of Phi, T = W, rows of rank at most r", runs_fit, strict=False),
)


@attrs.frozen
class LogarithmPoint:
    """W, eta and c of (15)."""

    window: int
    eta: Exact
    constant: Exact


def printed_count(p: LogarithmPoint) -> arb:
    """``c log W / log(1 - eta/2)``."""
    return ball(p.constant) * arb(p.window).log() / (1 - ball(p.eta) / 2).log()


def equation_15(p: LogarithmPoint) -> arb:
    """``(2c/eta) log W - c log W / log(1 - eta/2)``."""
    return 2 * ball(p.constant) / ball(p.eta) * arb(p.window).log() - printed_count(p)


LOGARITHM = (whole("window", 2), positive("eta"), below("eta", 1), positive("constant"))


def approximate_count_margin(p: StreamRun) -> arb:
    """``3 + (8/eta) log(det S_1 / det S_l) - l`` for the checkpoints that Algorithm 1 keeps after the last row."""
    kept = structure(p, rational(p.eta) / 2).matrices
    return 3 + 8 / ball(p.eta) * arb(kept[0].det() / kept[-1].det()).log() - len(kept)


def exact_count_margin(p: StreamRun) -> arb:
    """``3 + (4/eta) log(det K^(1) / det K^(l)) - l`` for the checkpoints that Algorithm 1 keeps after the last row."""
    kept = structure(p, rational(p.eta) / 2).matrices
    return 3 + 4 / ball(p.eta) * arb(kept[0].det() / kept[-1].det()).log() - len(kept)


def exact_matrices(p: StreamRun) -> arb:
    """0 when nothing stands for the Gram matrices."""
    return -arb(len(p.approximations))


EXACT = (
    whole("window", 1),
    positive("eta"),
    below("eta", 1),
    positive("floor"),
    exceeds("Algorithm 1 compares K + sigma^2 I", exact_matrices, strict=False),
)

APPROXIMATE = (whole("window", 1), positive("eta"), below("eta", 1), positive("floor"), NEAR_SHAPES, CLOSER)

LEMMA_4 = Claim(
    id="sliding-window.lemma-4",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Lemma 4",
        "for eta in (0, 1/4) the space is O((r^2 d/eta) log n log W), as O((r/eta) log W) checkpoints are stored",
    ),
    statement=Statement(
        "there is a constant c with which at most c (r/eta) log W checkpoints are kept at T = W, for W rows e_1",
        repeated_rows_margin,
        given=REPEATED_ROWS,
        exists=(Chosen("constant"),),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.CONCLUSION,
    headline=(
        "The bound fails: sketches of fewer than d rows cannot be compared, and some streams of rank 1 keep all W "
        "checkpoints."
    ),
    reading=(
        "Natural logarithm; the count of checkpoints, which the proof derives and multiplies by the size of a sketch; "
        "c is one constant for all W, r, eta and d. The stream has rank 1, and the count holds with probability one. "
        "The n is not defined, and three other bounds on the space stand elsewhere."
    ),
    because=(
        "For d > 4r/eta sketches are of rank 4r/eta, and (1 - eta/2)K~(i) <= K~(p) requires that the rows of A~_i lie "
        "in the span of those of A~_p. With rows a_t = e_1, Phi of full rank on the other coordinates and g's no "
        "consecutive ones of which add up to zero, which has probability one, they never do: nothing is ever deleted, "
        "and W checkpoints are kept, for every W and r = 1.\n\n"
        "Where true matrices K^ = K + sigma^2 I are compared, a "
        "pair (1 - eta/2)K^(i) not <= K^(i+2) <= K^(i) loses a factor 1 - eta/2 of its determinant, whatever single "
        "eigenvalues do, and Lemma 10 has such pairs for i <= l - 3; hence l <= 3 + (4/eta) log(det K^(1)/det K^(l)), "
        "and for rank r and rows of norm at most B that is 3 + (4r/eta) log(1 + (t - t_1 + 1) B^2/(r sigma^2)).\n\n"
        "The 3 cannot be less: zero rows keep t_1, t - 1 and t. t_1 may be far older than the window, but t_2 is not, "
        "and the same count from i = 2 on gives l <= 4 + (4r/eta) log(1 + W B^2/(r sigma^2)): the logarithm is that of "
        "W.\n\n"
        "For sketches that only approximate them, within eta/8 at every time, Algorithm 1 as it is leaves a factor "
        "below (1 - eta/2)(1 + eta/8)/(1 - eta/8) <= 1 - eta/4 for each two checkpoints, and the same count gives l <= "
        "3 + (8/eta) log(det K^(1)/det K^(l)), the power of 1/eta that is printed; lemma-2's repair with eta/2 for eta "
        "has that with probability 1 - beta. It bounds the number of sketches, each of which has more rows than "
        "printed, and says nothing of privacy. (15) is true because its left side is negative; 1/(1 - eta/2) is meant "
        "as the base."
    ),
    repair=Repair(
        "enough rows in each sketch for (4) with eta/8 to hold at every time, as in lemma-2's repair with eta/2 for "
        "eta; Algorithm 1 as repaired, along a stream that starts empty; log(det K^(1)/det K^(l)) for r log W",
        Statement(
            "under (4) with eta/8 at every time, after every row l <= 3 + (8/eta) log(det K^(1)/det K^(l)), K^ = K + "
            "sigma^2 I",
            approximate_count_margin,
            given=APPROXIMATE,
        ),
    ),
    steps=(
        Step(
            "exact-matrices",
            Statement(
                "where the matrices K^ are compared themselves, after every row l <= 3 + (4/eta) log(det K^(1)/det "
                "K^(l))",
                exact_count_margin,
                given=EXACT,
            ),
            defect=None,
            note="Of the order of the printed bound, for a structure that is not private.",
        ),
        Step(
            "singular-values",
            Statement("a stored matrix has at most r singular values that are not zero", spectrum_margin, given=SPACE),
            defect=Defect.PROOF,
            note="sigma Phi has min(4r/eta, d).",
        ),
        Step(
            "one-singular-value",
            Statement(
                "where (1 - eta/2)S <= S' fails, some singular value of S' is below (1 - eta/2) times that of S",
                singular_drop_margin,
                given=(
                    positive("eta"),
                    below("eta", 1),
                    exceeds("S' <= S, not (1-eta/2)S <= S'", not_close_margin, strict=False),
                ),
                strict=True,
            ),
            defect=Defect.PROOF,
            note="False even for ordered matrices; the determinant takes its place.",
        ),
        Step(
            "equation-15",
            Statement("c log W / log(1 - eta/2) <= (2c/eta) log W", equation_15, given=LOGARITHM),
            defect=None,
            note="The left side is negative.",
        ),
        Step(
            "count",
            Statement(
                "c log_{1-eta/2} W bounds a number of checkpoints: it is at least 0", printed_count, given=LOGARITHM
            ),
            defect=Defect.SLIP,
            note="The base must be 1/(1 - eta/2).",
        ),
        CHECKPOINT_SPACE,
    ),
    uses=("sliding-window.lemma-1+repair", "sliding-window.lemma-10+repair"),
)

THEOREM_3 = Claim(
    id="sliding-window.theorem-3",
    kind=Kind.PRIVACY,
    source=Locator(
        "sliding-window",
        "Theorem 3",
        "Algorithm 2 is (eps, delta)-DP; bounds of Lemma 2 with (1+eta/4)^2/(1-eta) and probability 9/10; space "
        "O(d r^2 log W / eta^2); update time poly(d, log W)",
    ),
    statement=private_row(PARAMETERS),
    verdict=Verdict.REFUTED,
    defect=Defect.LEAK,
    headline=(
        "All items fail: one output breaks the guarantee (Lemma 3), some direction is lost (Lemma 2), and all W "
        "checkpoints may stay (Lemma 4), each visited by an update."
    ),
    reading=(
        "Item 1 is the statement, as in lemma-3, and items 2 to 4 are steps; c is one constant. The time "
        "of an update is counted in stored matrices that it passes through, one operation for each at least."
    ),
    because=(
        "Item 1 is Lemma 3, item 2 Lemma 2 and item 3 Lemma 4, and each fails: the noise is computed for 16 r rows in "
        "place of 4r/eta, the sketch of fewer than d rows is blind in some direction, and its matrices cannot be "
        "compared, so that all W checkpoints stay.\n\n"
        "What remains of item 1 is another mechanism, noisy sums over blocks of rows that "
        "are private at all times; theorem-4's repair has its accuracy in place of item 2. Items 3 and 4 keep their "
        "form for it: computed from running totals of the same sums, as in space-of-running-totals, the checkpoints "
        "are as few as a determinant allows, of the order of (r/eta) log W, each one of d(d+1)/2 numbers, and the "
        "factor 1 + 2 eta of accuracy-of-running-totals is the price."
    ),
    repair=Repair(SEQUENCE_CHANGE, RELEASED),
    steps=(
        Step(
            "item-2",
            Statement.of_law(
                "there is a constant c with which, for every stream of one row, both bounds of item 2 hold with "
                "probability at least 9/10",
                theorem_3_probability,
                at_least=nine_tenths,
                given=ONE_ROW,
                exists=(Chosen("constant"),),
            ),
            defect=Defect.CONCLUSION,
            note="As Lemma 2, with 1 + eta/4 squared.",
        ),
        Step(
            "item-3",
            Statement(
                "there is a constant c with which at most c (r/eta) log W sketches are stored, for W rows e_1",
                repeated_rows_margin,
                given=REPEATED_ROWS,
                exists=(Chosen("constant"),),
            ),
            defect=Defect.CONCLUSION,
            note="Lemma 4.",
        ),
        UPDATE_TIME,
        NAIVE_SPACE,
        TESTING_COST,
        *RUNNING_TOTALS,
    ),
)
