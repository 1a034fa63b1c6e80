"""Table 1: the data sets of the experiments (section 6.1)."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality, positive, whole


@attrs.frozen
class PrintedRow:
    """A row of Table 1.

    Parameters
    ----------
    name
        The data set.
    instances, dimensions, rank
        n, d after preprocessing, and k.
    captured
        q_F(V_k), the sum of the k largest eigenvalues of A.
    ratio
        The last column, headed q_F(V_k) / ||A||_F.
    """

    name: str
    instances: int
    dimensions: int
    rank: int
    captured: fmpq
    ratio: fmpq


PRINTED_ROWS = (
    PrintedRow("kddcup", 494_021, 116, 4, fmpq(6587, 10_000), fmpq(96, 100)),
    PrintedRow("census", 199_523, 513, 8, fmpq(7321, 10_000), fmpq(81, 100)),
    PrintedRow("localization", 164_860, 44, 10, fmpq(5672, 10_000), fmpq(81, 100)),
    PrintedRow("insurance", 9_822, 150, 11, fmpq(5118, 10_000), fmpq(81, 100)),
)


def largest_norm(captured: Exact, rank: int) -> arb:
    """``max(q_F, sqrt(q_F / k))``: no A with trace at most 1 and this q_F has a larger Frobenius norm."""
    share = rational(captured)
    return arb(share).max(arb(share / rank).sqrt())


def columns_margin(p: PrintedRow) -> arb:
    """Largest possible ||A||_F, less the one that the two last columns imply."""
    return largest_norm(p.captured, p.rank) - arb(p.captured / p.ratio)


@attrs.frozen
class Eigenvalues:
    """Eigenvalues l_1 >= ... >= l_d >= 0 of a second moment of records of norm at most 1, and k."""

    values: tuple[Exact, ...]
    rank: int


def captured_by(p: Eigenvalues) -> fmpq:
    """``l_1 + ... + l_k``."""
    return sum((rational(value) for value in p.values[: p.rank]), fmpq(0))


def trace_of(p: Eigenvalues) -> fmpq:
    """``l_1 + ... + l_d``."""
    return sum((rational(value) for value in p.values), fmpq(0))


def norm_margin(p: Eigenvalues) -> arb:
    """``max(S^2, S/k) - (l_1^2 + ... + l_d^2)``, S the sum of the first k."""
    squares = sum((rational(value) * rational(value) for value in p.values), fmpq(0))
    largest = captured_by(p)
    return arb(max(largest * largest, largest / p.rank) - squares)


def order_margin(p: Eigenvalues) -> arb:
    """The least difference of successive eigenvalues, and the last one."""
    values = [*(rational(value) for value in p.values), fmpq(0)]
    return arb(min(first - second for first, second in pairwise(values)))


def trace_margin(p: Eigenvalues) -> arb:
    """``1 - tr A``."""
    return arb(1 - trace_of(p))


def rank_margin(p: Eigenvalues) -> arb:
    """The smaller of ``k - 1`` and ``d - k``."""
    return arb(min(p.rank - 1, len(p.values) - p.rank))


@attrs.frozen
class MeasuredRow(Eigenvalues):
    """The spectrum of a data set as it could be had, beside what the table prints of it."""

    captured: Exact
    ratio: Exact


def printed_margin(p: MeasuredRow) -> arb:
    """0 when some row of the table has this k, q_F and ratio, -1 when none has."""
    found = (p.rank, rational(p.captured), rational(p.ratio))
    return arb(0 if found in [(row.rank, row.captured, row.ratio) for row in PRINTED_ROWS] else -1)


@attrs.frozen
class WholeData(MeasuredRow):
    """The same, with the number of records that it was computed from."""

    records: int


def rows_of(p: WholeData) -> list[PrintedRow]:
    """The rows of the table with this n, k, q_F and ratio."""
    found = (p.records, p.rank, rational(p.captured), rational(p.ratio))
    return [row for row in PRINTED_ROWS if (row.instances, row.rank, row.captured, row.ratio) == found]


def whole_margin(p: WholeData) -> arb:
    """0 when some row of the table is of so many records, with this k, q_F and ratio, -1 when none is."""
    return arb(0 if rows_of(p) else -1)


def features_margin(p: WholeData) -> arb:
    """Minus the least distance of the number of eigenvalues from d of such a row."""
    return max((equality(arb(len(p.values)), arb(row.dimensions)) for row in rows_of(p)), key=float, default=arb(-1))


def caption_margin(p: PrintedRow) -> arb:
    """Minus the largest distance of the 2nd, the 3rd and the 5th number from d, q_F(V_k) and the ratio."""
    numbers = (p.instances, p.dimensions, p.rank, p.captured, p.ratio)
    named = ((numbers[1], p.dimensions), (numbers[2], p.captured), (numbers[4], p.ratio))
    return -arb(max(abs(fmpq(found) - said) for found, said in named))


@attrs.frozen
class PublishedAttributes:
    """The attributes of a data set as its donors describe it, and the printed number of features.

    Parameters
    ----------
    values
        For each discrete attribute that is used, how many values it has.
    numeric
        Number of numeric attributes that are used.
    dimensions
        The printed d.
    """

    values: tuple[int, ...]
    numeric: int
    dimensions: int


def published_margin(p: PublishedAttributes) -> arb:
    """Minus the distance of the number of features from d: q for a discrete attribute of q values, else 1."""
    return equality(arb(sum(p.values) + p.numeric), arb(p.dimensions))


CENSUS_VALUES = (
    *(9, 52, 47, 17, 3, 7, 24, 15, 5, 10, 2, 3, 6, 8, 6, 6, 51, 38, 8, 10),
    *(9, 10, 3, 4, 5, 43, 43, 43, 5, 3, 3, 3, 2, 2),
)
"""Of all 199,523 records, in the order of the file: 32 nominal attributes, the year, and the class."""
PUBLISHED = (PublishedAttributes(CENSUS_VALUES, 8, 513), PublishedAttributes((25, 4, 11), 4, 44))
"""census with its weight, and localization with its activity, its time and three coordinates."""

SPECTRUM = (
    Condition("1 <= k <= d", rank_margin),
    Condition("l_1 >= ... >= l_d >= 0", order_margin),
    Condition("tr A <= 1", trace_margin),
)


RATIO_ERROR, CAPTURED_ERROR = fmpq(1, 100), fmpq(25, 1000)


def measured_margin(p: MeasuredRow) -> arb:
    """Slack of ``|q_F / tr A - ratio| <= 0.01`` and of ``|q_F - printed| <= 0.025 printed``, the smaller one."""
    found, printed = captured_by(p), rational(p.captured)
    by_trace = RATIO_ERROR - abs(found / trace_of(p) - rational(p.ratio))
    return arb(min(by_trace, CAPTURED_ERROR * printed - abs(found - printed)))


TABLE_1 = Claim(
    id="near-optimal.table-1",
    kind=Kind.EXPERIMENT,
    source=Locator(
        "near-optimal",
        "Table 1",
        "kddcup 494,021, 116, 4, 0.6587, 0.96; census 199,523, 513, 8, 0.7321, 0.81; localization 164,860, 44, 10, "
        "0.5672, 0.81; insurance 9,822, 150, 11, 0.5118, 0.81: instances, dimensions, k, q_F(V_k), q_F(V_k)/||A||_F",
    ),
    statement=Statement(
        "some records of norm at most 1 have the printed q_F(V_k) and q_F(V_k) / ||A||_F",
        columns_margin,
        instance=True,
        data=PRINTED_ROWS,
        given=(whole("rank", 1), positive("captured"), positive("ratio")),
    ),
    verdict=Verdict.REPRODUCED_WITH_DIFFERENCE,
    because=(
        "The last two columns exclude each other. With S = q_F(V_k) and tr A <= 1, ||A||_F^2 is at most S^2 or S/k, "
        "and in every row S^2 is the larger: the ratio to the Frobenius norm is at least 1, not 0.96 or 0.81. Divided "
        "by the trace it is what is printed: 0.960 for kddcup, 0.809 for insurance, 0.818 for census. q_F itself comes "
        "within 1.1, 1.5 and 2.2 per cent: the preprocessing is not given in full.\n\n"
        "Of census the raw test file was at "
        "hand (99,762 records, d = 512), of localization 3 of 25 sequences (d = 22, not judged). The caption calls "
        "q_F the third column; it is the fourth where the dimensions are the second."
    ),
    reading=(
        "||.||_F is the Frobenius norm, as in section 2. The statement is of the four printed rows, through the "
        "largest norm that a second moment with this q_F can have. Preprocessing: one-hot columns, features scaled to "
        "largest absolute value 1, all records by one factor, no centring. Repaired rows are judged on the recorded "
        "spectra."
    ),
    repair=Repair(
        "q_F(V_k) / tr A in the last column",
        Statement(
            "q_F(V_k) / tr A is within 0.01 of the last column, and q_F(V_k) within 2.5 per cent of the one before it",
            measured_margin,
            instance=True,
            given=(*SPECTRUM, Condition("k and the last two columns are those of a row of the table", printed_margin)),
        ),
    ),
    steps=(
        Step(
            "largest-norm",
            Statement("||A||_F^2 <= max(S^2, S/k) for S = q_F(V_k) and tr A <= 1", norm_margin, given=SPECTRUM),
            defect=None,
            note="Not printed; it decides the statement.",
        ),
        Step(
            "columns",
            Statement(
                "the second number of a row is d, the third q_F(V_k) and the fifth the ratio",
                caption_margin,
                instance=True,
                data=PRINTED_ROWS,
                given=(whole("rank", 1), positive("captured"), positive("ratio")),
            ),
            defect=Defect.SLIP,
            note="Where the dimensions are the second column, k is the third and q_F(V_k) the fourth.",
        ),
        Step(
            "features",
            Statement(
                "the data set of a row, all records of it, makes d features",
                features_margin,
                instance=True,
                given=(
                    *SPECTRUM,
                    Condition("n, k and the last two columns are those of a row of the table", whole_margin),
                ),
            ),
            defect=None,
            note="Of kddcup and insurance, 116 and 150. Of census and localization not all records were at hand.",
        ),
        Step(
            "features-as-published",
            Statement(
                "the numbers of values that the donors of census and localization publish make 513 and 44 features",
                published_margin,
                instance=True,
                data=PUBLISHED,
            ),
            defect=None,
            note=(
                "With the class and the weight in census, and the class in localization. The test file of census has "
                "the same values but for one of a household's, which does not occur in it: 512 features."
            ),
        ),
    ),
)
