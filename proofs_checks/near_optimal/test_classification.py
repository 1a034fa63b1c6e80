"""`near-optimal.table-2`: what of the accuracies can be decided exactly."""

from __future__ import annotations

from fractions import Fraction

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.classification import Attributes

table_2 = cite("near-optimal.table-2@b490d965")


def closest(p, base):
    """Fill up greedily over all sums, as a set."""
    sums = {base}
    for size in [p.sequences, p.tags, *([1] * p.numeric)]:
        sums |= {value + size for value in sums}
    return Fraction(-min(abs(value - 44) for value in sums))


PUBLISHED = Attributes(sequences=25, tags=4, activities=11, numeric=5)
FEWEST = Attributes(sequences=1, tags=1, activities=1, numeric=0)
OTHER = Attributes(sequences=25, tags=4, activities=11, numeric=15)
COUNTS = [Attributes(s, t, a, m) for s in (20, 25, 30) for t in (3, 4) for a in (5, 11) for m in (0, 4, 6)]
OUTSIDE_COUNTS = {
    "sequences >= 1, an integer": Attributes(0, 4, 11, 5),
    "tags >= 1, an integer": Attributes(25, 0, 11, 5),
    "activities >= 1, an integer": Attributes(25, 4, 0, 5),
    "numeric >= 0, an integer": Attributes(25, 4, 11, -1),
}


@table_2.refutes(grade="symbolic", region="all choices of the published attributes")
def test_forty_four_features_need_the_class(statement):
    """25 + 4 + 5 = 34 < 44."""
    bind(statement.elsewhere(), [(p, closest(p, 0)) for p in COUNTS])
    assert statement.at(PUBLISHED) is Truth.FALSE
    assert statement.data == (PUBLISHED,)
    (said,) = statement.data
    table_2.tells("are {} sequences, {} tags, {} activities", said.sequences, said.tags, said.activities)
    features = said.sequences + said.tags + said.numeric
    assert features == 34 < 44
    table_2.tells("they make at most {} features", features)
    assert statement.elsewhere().at(OTHER) is Truth.TRUE, "another 10 numbers would do"
    for inside in (PUBLISHED, FEWEST):
        bind_hypotheses(statement, inside, OUTSIDE_COUNTS)


@table_2.supports_repair(grade="symbolic", region="the published attributes")
def test_the_class_makes_forty_four_features(statement):
    """25 + 4 + 11 + 4 = 44, one number left out."""
    bind(statement.elsewhere(), [(p, closest(p, p.activities)) for p in COUNTS])
    assert statement.at(PUBLISHED) is Truth.TRUE
    assert statement.data == (PUBLISHED,)
    (said,) = statement.data
    with_class = said.sequences + said.tags + said.activities + said.numeric - 1
    table_2.tells("{} = 25 + 4 + 11 + 4 needs it", with_class)
    table_2.tells("a sum of {} would say nothing", with_class)
    for inside in (PUBLISHED, FEWEST):
        bind_hypotheses(statement, inside, OUTSIDE_COUNTS)


@table_2.controls("+repair", grade="symbolic", region="fewer sequences")
def test_fewer_sequences_do_not_make_forty_four(statement):
    assert statement.elsewhere().at(Attributes(20, 4, 11, 5)) is Truth.FALSE
