"""``dpmatrix claims ID --at`` and ``--fields``: what is read, what is evaluated, and what is refused."""

from __future__ import annotations

import json
import os
import random
import signal
from fractions import Fraction
from functools import cache

import attrs
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat
from typer.testing import CliRunner

from dpmatrix.claims import Chosen, Condition, Statement, Truth, observing
from dpmatrix.claims.evaluation import NoValueError, ends, evaluate
from dpmatrix.claims.records import hints_of, record_of
from dpmatrix.commands.children import in_a_child
from dpmatrix.commands.look_ups import look_ups
from dpmatrix.errors import InvalidParameterError, UnknownClaimError
from dpmatrix.exact import Exact, Real, ball, fraction
from dpmatrix.points.asking import EXHIBITED, ask, read_point
from dpmatrix.points.reading import convert
from dpmatrix.points.text import parse
from dpmatrix.points.types import example
from dpmatrix.points.writing import UnwritableError, write, write_point
from dpmatrix.privacy import Adjacency
from dpmatrix.spec import examples, load


@cache
def statements() -> dict[str, Statement]:
    return {name: statement for claim in load() for name, statement in claim.statements().items()}


def run(*arguments: str):
    return CliRunner().invoke(look_ups, ["claims", *arguments])


def asked(*arguments: str) -> dict:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


MATRIX = fmpq_mat(2, 2, [1, 0, 0, 1])
WHERE = {
    "wishart.theorem-4": ("dimension=5,records=100,epsilon=1", (5, 100, 1), "true", "false"),
    "wishart.theorem-4+repair": (
        "dimension=2,adjacency=REPLACE_ONE,epsilon=1,v_squared=1,w_squared=1,inner=0",
        (2, Adjacency.REPLACE_ONE, 1, 1, 1, 0),
        "true",
        "true",
    ),
    "wishart.theorem-4/common-support": (
        "noise=1/2,epsilon=1,records=1,v_squared=0,w_squared=1",
        (Fraction(1, 2), 1, 1, 0, 1),
        "true",
        "false",
    ),
    "wishart.theorem-4/inverse-scale": (
        "dimension=3,records=1,epsilon=4.8",
        (3, 1, Fraction(24, 5)),
        "true",
        "undecided",
    ),
    "wishart.theorem-2": (
        "epsilon=10, delta=0.1, sensitivity=1, c=2.3, sigma=0.24",
        (10, Fraction(1, 10), 1, Fraction(23, 10), Fraction(24, 100)),
        "true",
        "false",
    ),
    "wishart.theorem-2+repair": (
        "epsilon=10,delta=0.1,sensitivity=1,c=2.3,sigma=0.24",
        (10, Fraction(1, 10), 1, Fraction(23, 10), Fraction(24, 100)),
        "false",
        "false",
    ),
    "wishart.trace-inequality": (
        "first=[[1,0],[0,1]],second=[[1,2],[0,-2/3]]",
        (MATRIX, fmpq_mat(2, 2, [fmpq(1), fmpq(2), fmpq(0), fmpq(-2, 3)])),
        "true",
        "true",
    ),
    "sliding-window.theorem-12": (
        "rows=50,epsilon=1,delta=1e-6,energy=16000,removed=1",
        (50, 1, Fraction(1, 10**6), 16000, 1),
        "true",
        "true",
    ),
    "sliding-window.proposition-10": ("eta=0.25", (Fraction(1, 4),), "true", "true"),
    "analyze-gauss.algorithm-1": (
        "epsilon=0.1,delta=0.5,norm_bound=1,adjacency=replace-one",
        (Fraction(1, 10), Fraction(1, 2), 1, Adjacency.REPLACE_ONE),
        "true",
        "true",
    ),
    "compression.definition-2-1": (
        "first=[0.5, 1/2], second=(1, 0), exponential=2",
        ((fmpq(1, 2), fmpq(1, 2)), (fmpq(1), fmpq(0)), fmpq(2)),
        "true",
        "true",
    ),
    "compression.lemma-3-3": ("first=[[1,0],[0,1]],second=[[1,0],[0,1]]", (MATRIX, MATRIX), "true", "true"),
    "near-optimal.theorem-5": (
        "dimension=3,records=100,epsilon=1,delta=1/100",
        (3, 100, 1, Fraction(1, 100)),
        "true",
        "true",
    ),
    "cross.gaussian-constant": ("dimension=4,epsilon=1,delta=0.2", (4, 1, Fraction(1, 5)), "true", "false"),
}
"""A text, the values that it stands for, whether the hypotheses hold, and whether the conclusion does."""


@pytest.mark.parametrize("name", WHERE)
def test_a_statement_is_evaluated_where_a_text_says(name) -> None:
    text, values, applies, answer = WHERE[name]
    statement = statements()[name]
    point = record_of(statement)(*values)
    assert read_point(statement, text)[0] == point
    found = asked(name, "--at", text)
    assert found["statement"] == name
    assert [one["answer"] for one in found["hypotheses"]] == [one.at(point).value for one in statement.given]
    assert found["conclusion"]["answer"] == statement.conclusion(point).value == answer
    assert all(one["answer"] == "true" for one in found["hypotheses"]) == (applies == "true")
    assert statement.applies(point).value == applies
    if answer != "undecided":
        assert arb(found["conclusion"]["ball"]).overlaps(statement.margin(point))
    assert read_point(statement, found["at"])[0] == point, "what is printed is read again as the same point"


WORDS = {
    "wishart.theorem-4": "the hypotheses hold and the conclusion is false here: this point refutes the statement",
    "wishart.theorem-2+repair": "a hypothesis does not hold here: the statement says nothing of this point",
    "sliding-window.theorem-12": "the hypotheses hold and the conclusion is true here: this point agrees with",
    "wishart.theorem-4/inverse-scale": "both sides agree to 128 binary digits",
}


@pytest.mark.parametrize("name", WORDS)
def test_a_person_reads_hypotheses_margin_and_verdict(name) -> None:
    text, _, _, answer = WHERE[name]
    shown = run(name, "--at", text).stdout
    assert WORDS[name] in shown
    for condition in statements()[name].given:
        assert condition.says in shown
    assert f"{answer:<11} the conclusion: margin " in shown


def test_of_a_law_the_quantity_and_the_bound_are_shown() -> None:
    found = asked("wishart.theorem-4", "--at", "dimension=5,records=100,epsilon=1")
    mass = 1 - (-arb(1) / 3).exp()
    assert arb(found["quantity"]["ball"]).overlaps(mass)
    assert float(found["quantity"]["lower"]) < mass < float(found["quantity"]["upper"])
    assert found["bound"]["at_most"] is True
    assert found["bound"]["upper"] == "0"
    assert "is to be at most 0" in run("wishart.theorem-4", "--at", "dimension=5,records=100,epsilon=1").stdout
    assert asked("wishart.trace-inequality", "--at", WHERE["wishart.trace-inequality"][0])["bound"] is None


EXISTENTIAL = "wishart.theorem-5/wishart-noise-of-order"
FIELDS = "dimension=5,entrywise=1,nuclear=1,epsilon=1,records=1"


def test_a_constant_that_exists_is_exhibited_or_given() -> None:
    own = asked(EXISTENTIAL, "--at", FIELDS)
    assert own["constants"] == {"constant": "exhibited"}
    assert "this point agrees with the exhibited choice, constant = 4" in own["verdict"]
    for arguments in (
        (f"{FIELDS},constant=1/100",),
        (FIELDS, "--with", "constant=0.01"),
        (FIELDS, "--at", "constant=1e-2"),
    ):
        other = asked(EXISTENTIAL, "--at", *arguments)
        assert other["constants"] == {"constant": "given"}
        assert other["conclusion"]["answer"] == "false"
        assert (
            "the choice constant = 1/100 does not do; the statement is refuted where no choice does" in other["verdict"]
        )
        assert "refutes the statement" not in other["verdict"]
    larger = asked(EXISTENTIAL, "--at", FIELDS, "--with", "constant=7")["verdict"]
    assert "this point agrees with this choice, constant = 7" in larger
    shown = run(EXISTENTIAL, "--fields").stdout
    assert "It says that constant, a positive number, exists; exhibited, and taken where none is given: 4" in shown


def test_a_constant_that_nobody_exhibits_is_asked_for() -> None:
    at = "dimension=2,records=5,epsilon=1,delta=0.01"
    refused = run("wishart.table-1", "--at", at)
    assert refused.exit_code == 2
    assert "some constant, which may depend on delta, exists, and none is exhibited" in refused.stderr
    assert "--with constant=1" in refused.stderr
    assert asked("wishart.table-1", "--at", at, "--with", "constant=3")["conclusion"]["answer"] == "false"
    assert "none is exhibited: choose one, --with constant=..." in run("wishart.table-1", "--fields").stdout


def test_a_constant_that_depends_on_fields_is_computed_from_these() -> None:
    name = "wishart.lemma-1/order-of-the-threshold"
    statement = statements()[name]
    (constant,) = statement.exists
    given = examples()[name]
    assert "constant=" not in given, "the exhibited value is no number that a person writes"
    found = asked(name, "--at", given)
    assert found["constants"] == {"constant": "exhibited"}
    point = read_point(statement, given)[0]
    assert constant.agrees(point)
    assert "both sides agree to 128 binary digits" in found["verdict"], "the exhibited constant is attained at d = 2"
    other = asked(name, "--at", given.replace("dimension=2", "dimension=3"))
    assert "agrees with the exhibited choice" in other["verdict"]


def test_data_of_the_document_are_told_from_others() -> None:
    own = "sequences=25,tags=4,activities=11,numeric=5"
    assert "the document speaks of its own data alone" not in asked("near-optimal.table-2", "--at", own)["verdict"]
    other = asked("near-optimal.table-2", "--at", own.replace("numeric=5", "numeric=6"))["verdict"]
    assert "the document speaks of its own data alone, so this says nothing of the statement" in other
    shown = run("near-optimal.table-2", "--fields").stdout
    assert f"It speaks of these data alone:\n  {own}" in shown
    assert "Of one run of the implementation, or of data that the document fixes" in shown


REFUSED = {
    "claim": ("wishart.theorem-44", "dimension=1", "UnknownClaimError: no claim 'wishart.theorem-44'; did you mean"),
    "no-claim": ("xyzzy", "dimension=1", "UnknownClaimError: no claim 'xyzzy'"),
    "document": ("wishart", "dimension=1", "CLAIM: 'wishart' is a document; name a statement"),
    "statement": ("wishart.theorem-4/comon-support", "x=1", "did you mean wishart.theorem-4/common-support?"),
    "no-statement": ("wishart.theorem-4/xyzzy", "x=1", "there are wishart.theorem-4, wishart.theorem-4+repair, "),
    "no-repair": ("wishart.theorem-3+repair", "x=1", "there is no statement 'wishart.theorem-3+repair'"),
    "field": ("wishart.theorem-4", "dimension=5,record=100", "record: there is no such field; did you mean records?"),
    "far-field": ("wishart.theorem-4", "xyzzy=5", "the fields are dimension, records, epsilon"),
    "missing": ("wishart.theorem-4", "dimension=5", "records, epsilon: missing; give them too"),
    "nothing": ("wishart.theorem-4", "", "dimension, records, epsilon: missing"),
    "no-integer": ("wishart.theorem-4", "dimension=5.5,records=1,epsilon=1", "dimension: '5.5' is not an integer"),
    "no-number": ("wishart.theorem-4", "dimension=5,records=1,epsilon=abc", "epsilon: 'abc' is no number"),
    "infinite": ("wishart.theorem-4", "dimension=5,records=1,epsilon=inf", "epsilon: 'inf' is no number"),
    "nowhere": ("wishart.theorem-4", "dimension=5,records=1,epsilon=1/0", "epsilon: '1/0' is no number"),
    "word": (
        "wishart.theorem-4+repair",
        "dimension=2,adjacency=any,epsilon=1,v_squared=1,w_squared=1,inner=0",
        "adjacency: 'any' is not replace-one or add-remove-one",
    ),
    "twice": ("wishart.theorem-4", "dimension=5,dimension=6", "dimension: it is given twice"),
    "no-name": ("wishart.theorem-4", "5,6,7", "write field=value,field=value"),
    "function": (
        "wishart.theorem-4",
        "dimension=5,records=1,epsilon=ln(3)",
        "there is no comma before '(', after 'ln'; separate values by commas, and write a number as digits",
    ),
    "no-comma": ("wishart.theorem-4", "dimension=5 records=3", "there is no comma before 'records'"),
    "no-value": ("wishart.theorem-4", "dimension=,records=3", "a value is missing before ','"),
    "no-end": ("wishart.theorem-4", "dimension=", "a value is missing before 'the end'"),
    "bracket": ("wishart.theorem-4", "dimension=[5", "a bracket is not closed by ']'"),
    "closed": ("wishart.theorem-4", "dimension=5]", "there is no comma before ']'"),
    "quotation": ("wishart.theorem-4", 'dimension="5', "a quotation mark is not closed"),
    "list": ("wishart.theorem-4", "dimension=[5],records=1,epsilon=1", "dimension: 'what stands in brackets' is not"),
    "ragged": ("wishart.trace-inequality", "first=[[1,0],[0]],second=[[1]]", "first: its rows are not of one length"),
    "no-matrix": ("wishart.trace-inequality", "first=1,second=[[1]]", "first: '1' is not a matrix; write it as [["),
    "vector": ("wishart.trace-inequality", "first=[1,0],second=[[1]]", "first: '1' is not a matrix"),
    "entry": ("wishart.trace-inequality", "first=[[1,x]],second=[[1]]", "first[0][1]: 'x' is no number"),
    "named-matrix": ("wishart.trace-inequality", "first=(a=1),second=[[1]]", "first: "),
    "undefined": (
        "wishart.theorem-4",
        "dimension=-5,records=1,epsilon=1",
        "the margin cannot be computed there, outside the hypotheses 'dimension >= 1, an integer'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_evaluated_is_refused_in_one_line(case) -> None:
    name, at, message = REFUSED[case]
    refused = run(name, "--at", at)
    assert refused.exit_code == 2
    assert refused.stdout == ""
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert refused.stderr.partition(":")[0] in {"InvalidParameterError", "UnknownClaimError"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--at", "x=1"), "CLAIM: no claim is named"),
        (("--fields",), "CLAIM: no claim is named"),
        (("wishart.theorem-4", "--fields", "--at", "x=1"), "--fields: it does not go with --at and --with"),
        (("wishart.theorem-4", "--table", "--fields"), "--table: it does not go with --at, --with and --fields"),
        (("wishart.theorem-4", "--bindings", "--at", "x=1"), "--bindings: it does not go with"),
        (("--find", "noise", "--at", "x=1"), "--find: it does not go with"),
        (("wishart.theorem-4", "--with", "epsilon=1"), "it says of none that it exists"),
        ((EXISTENTIAL, "--at", FIELDS, "--with", "epsilon=1"), "its constants are constant; pass others in --at"),
        ((EXISTENTIAL, "--at", f"{FIELDS},constant=1", "--with", "constant=1"), "constant: it is given twice"),
        ((EXISTENTIAL, "--with", "constant=1"), "dimension, entrywise, nuclear, epsilon, records: missing"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments, message) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""


def test_a_computation_without_end_and_one_that_ends_its_process_are_refused() -> None:
    def forever() -> None:
        while True:
            pass

    with pytest.raises(InvalidParameterError, match="more than 1 s of processor time; pass more with --seconds"):
        in_a_child(forever, 1)
    with pytest.raises(InvalidParameterError, match="the margin cannot be computed there"):
        in_a_child(lambda: os.kill(os.getpid(), signal.SIGKILL), 10)
    with pytest.raises(InvalidParameterError, match="GiB"):
        in_a_child(lambda: len(bytearray(1 << 40)), 10)
    assert in_a_child(lambda: {"a": [1, None]}, 10) == {"a": [1, None]}


@attrs.frozen
class Point:
    """Numbers x and y.

    Parameters
    ----------
    x, y
        Numbers.
    """

    x: Real
    y: Exact = 0


def x_margin(p: Point) -> arb:
    """``x - y``."""
    return ball(p.x) - ball(p.y)


@attrs.frozen
class Space(Point):
    """A third number."""

    z: Real = 0


def z_margin(p: Space) -> arb:
    """``z``."""
    return ball(p.z)


def inverse(p: Point) -> arb:
    """``1/x``, not defined at 0."""
    return arb(fmpq(1) / fmpq(fraction(p.x).numerator, fraction(p.x).denominator))


def nan(p: Point) -> arb:
    """No number."""
    return arb("nan")


def wide(p: Point) -> arb:
    """Between -1 and 1."""
    return arb(0, 1)


def unknown(p) -> arb:
    """Of whatever it is."""
    return arb(0)


def toy(**changes) -> Statement:
    return attrs.evolve(Statement("x >= y", x_margin), name="toy.x", **changes)


def test_hypotheses_that_are_not_defined_do_not_hold() -> None:
    found = evaluate(toy(given=(Condition("1/x > 0", inverse, strict=True),)), Point(0))
    assert found.applies is Truth.FALSE
    assert found.answer is Truth.TRUE
    shown = found.to_json()["hypotheses"]
    assert shown[0]["answer"] == "not defined"
    assert "ZeroDivisionError" in shown[0]["why"]
    assert "the statement says nothing of this point" in found.verdict
    assert "a hypothesis is undecided" in evaluate(toy(given=(Condition("?", wide),)), Point(0)).verdict


def test_what_a_point_says_depends_on_the_form() -> None:
    assert evaluate(toy(), Point(1)).verdict.endswith(
        "this point agrees with the statement, which is about every such point"
    )
    assert evaluate(toy(), Point(-1)).verdict.endswith("this point refutes the statement")
    assert evaluate(toy(strict=True), Point(0)).answer is Truth.FALSE
    assert "known well enough" in evaluate(toy(margin=wide), Point(0)).verdict
    one_sided = evaluate(toy(one_sided=True), Point(1))
    assert one_sided.answer is Truth.UNDECIDED
    assert "proves nothing" in one_sided.verdict
    assert evaluate(toy(one_sided=True), Point(-1)).verdict.endswith("this point refutes the statement")
    run_of_it = evaluate(toy(instance=True), Point(-1)).verdict
    assert "a run that ends like this would refute the statement" in run_of_it
    data = toy(instance=True, data=(Point(1), Point(-2)))
    assert "refutes the statement" in evaluate(data, Point(-2)).verdict
    assert "its own data alone" in evaluate(data, Point(-3)).verdict
    some = toy(exists=(Chosen("y", exhibited=3),))
    assert "agrees with the exhibited choice, y = 3" in evaluate(some, Point(4, 3)).verdict
    assert "agrees with this choice, y = 2" in evaluate(some, Point(4, 2)).verdict
    assert "the choice y = 3 does not do" in evaluate(some, Point(2, 3)).verdict


def test_a_conclusion_without_a_value_is_no_answer() -> None:
    with pytest.raises(NoValueError, match="ZeroDivisionError"):
        evaluate(toy(margin=inverse), Point(0))
    with pytest.raises(NoValueError, match="it is no number"):
        evaluate(toy(margin=nan), Point(0))
    with pytest.raises(NoValueError, match=r"outside the hypotheses 'x > 0' \("):
        evaluate(toy(margin=inverse, given=(Condition("x > 0", x_margin, strict=True),)), Point(0))


def test_a_statement_that_does_not_say_what_its_points_are_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="does not say of which class its points are"):
        record_of(toy(margin=unknown))
    assert record_of(toy()) is Point
    assert record_of(toy(given=(Condition("?", unknown),))) is Point
    assert record_of(toy(given=(Condition("z > 0", z_margin), Condition("?", unknown)))) is Space
    assert record_of(toy(margin=z_margin, given=(Condition("?", x_margin),))) is Space, "a hypothesis may ask for less"


def test_nobody_who_observes_is_told() -> None:
    with observing() as observed:
        evaluate(
            statements()["wishart.theorem-4"],
            read_point(statements()["wishart.theorem-4"], WHERE["wishart.theorem-4"][0])[0],
        )
    assert not observed.evaluated


def test_decimals_enclose_what_they_stand_for() -> None:
    drawn = random.Random(1)
    for _ in range(2000):
        middle = drawn.choice((-1, 1)) * arb(drawn.random()) * arb(10) ** drawn.randint(-30, 30)
        value = arb(middle, drawn.choice((0.0, 1e-12, 0.5, 3.0)) * float(abs(middle).upper()))
        lower, upper = ends(value)
        low, high = (arb(fmpq(end.numerator, end.denominator)) for end in (Fraction(lower), Fraction(upper)))
        assert low.lower() <= value.lower()
        assert value.upper() <= high.upper()
        assert max(len(end.lstrip("-").partition("e")[0].replace(".", "").strip("0")) for end in (lower, upper)) <= 12
    assert ends(arb(fmpq(1, 2))) == ("0.5", "0.5")
    assert ends(arb(-50)) == ("-50", "-50")
    assert ends(arb(1) / 3) == ("0.333333", "0.333334")
    assert ends(-arb(1) / 3) == ("-0.333334", "-0.333333")
    assert ends(arb(10) ** -9) == ("9.99999e-10", "1.00001e-9")
    assert ends(arb(0)) == ("0", "0")
    assert ends(arb("inf")) == (None, None)
    low, high = (Fraction(end) for end in ends((arb(-10) ** 3).exp()))
    assert 0 < low < high


VALUES = {
    "1/10": (Exact, Fraction(1, 10), "0.1"),
    "0.1": (Real, Fraction(1, 10), "0.1"),
    "1e3": (int, 1000, "1000"),
    "-2.50": (fmpq, fmpq(-5, 2), "-2.5"),
    "1/3": (Fraction | int, Fraction(1, 3), "1/3"),
    "true": (bool, True, "true"),
    "none": (fmpz_mat | None, None, "none"),
    "[[1,-2]]": (fmpz_mat | None, fmpz_mat(1, 2, [1, -2]), "[[1,-2]]"),
    "[]": (tuple[int, ...], (), "[]"),
    "[[1,2],[]]": (tuple[tuple[int, ...], ...], ((1, 2), ()), "[[1,2],[]]"),
    "(3, true)": (tuple[int, bool], (3, True), "[3,true]"),
    "kddcup": (str, "kddcup", "kddcup"),
    '"two words, (x=1)"': (str, "two words, (x=1)", '"two words, (x=1)"'),
    "(x=1,y=2)": (Point, Point(1, 2), "(x=1,y=2)"),
    "(x=1)": (Point, Point(1), "(x=1)"),
}


@pytest.mark.parametrize("text", VALUES)
def test_values_are_read_exactly_and_written_as_they_are_read(text) -> None:
    hint, value, written = VALUES[text]
    read = convert(parse(f"field={text}", "--at")["field"], hint, "field")
    assert read == value
    assert type(read) is type(value)
    assert write(read) == written
    assert convert(parse(f"field={written}", "--at")["field"], hint, "field") == value


def test_matrices_of_balls_and_what_cannot_be_written() -> None:
    (read,) = convert(parse("field=[[0.5]]", "--at")["field"], arb_mat, "field").entries()
    assert read == arb(0.5)
    assert write(arb(0.5)) == "0.5"
    for value in (arb(1) / 3, arb("inf"), 'a "word"', fmpq_mat(0, 2), {1}):
        with pytest.raises(UnwritableError):
            write(value)


def test_fields_are_told_with_type_meaning_domain_and_example() -> None:
    shown = run("wishart.theorem-4+repair", "--fields").stdout
    for part in (
        "dimension: an integer; dimension >= 1, an integer\n",
        "adjacency: replace-one or add-remove-one\n",
        "      dimension, adjacency: d and the neighbouring relation, on which s depends.\n",
        "v_squared: a number; v_squared >= 0; v_squared <= 1\n",
        "Also given:\n  <v, w>^2 <= |v|^2 |w|^2\n",
        f"python -m dpmatrix claims wishart.theorem-4+repair --at {examples()['wishart.theorem-4+repair']}\n",
    ):
        assert part in shown, part
    told = asked("wishart.theorem-4+repair", "--fields")
    assert [field["name"] for field in told["fields"]] == list(hints_of(record_of(statements()[told["statement"]])))
    assert told["example"] == examples()["wishart.theorem-4+repair"]
    assert (
        "Outcome is (path=[integer, ...], probability=a number, values=[number, ...])"
        in run("near-optimal.lemma-16", "--fields").stdout
    )


WITHOUT_EXAMPLE = {"near-optimal.table-1+repair"}
"""Statements whose evidence asks about no point that is short enough to be edited."""


def test_every_statement_can_be_asked_at_a_point_that_is_written() -> None:
    assert len(statements()) >= 875
    for name, statement in statements().items():
        record = record_of(statement)
        assert {one.of for one in statement.given} - {""} <= hints_of(record).keys(), name
        text = example(record)[1:-1]
        point, notes = read_point(statement, text)
        assert type(point) is record, name
        assert set(notes.values()) <= {"given"}
        assert read_point(statement, write_point(point))[0] == point, name
    for hint in (dict[str, int], fmpq_mat | tuple[int, ...]):
        with pytest.raises(InvalidParameterError, match="cannot be written here"):
            convert("1", hint, "field")


def test_examples_are_points_at_which_statements_are_evaluated() -> None:
    kept = examples()
    assert statements().keys() - kept.keys() <= WITHOUT_EXAMPLE
    assert kept.keys() <= statements().keys()
    meets = 0
    for name, text in kept.items():
        statement = statements()[name]
        point, notes = read_point(statement, text)
        assert write_point(point, {one for one, origin in notes.items() if origin == EXHIBITED}) == text
        found = evaluate(statement, point)
        assert found.verdict
        meets += found.applies is Truth.TRUE
    assert meets >= 850


def test_asking_from_python_is_what_the_command_line_says() -> None:
    found = ask("wishart.theorem-4", "\n  dimension=5,\n  records=100,\n  epsilon=1\n")
    assert (found.applies, found.answer) == (Truth.TRUE, Truth.FALSE)
    done = run("wishart.theorem-4", "--at", "dimension=5,records=100,epsilon=1", "--json")
    assert json.loads(done.stdout)["verdict"] == found.verdict
    outside = ask("wishart.theorem-4+repair", examples()["wishart.theorem-4+repair"].replace("epsilon=", "epsilon=-"))
    assert outside.applies is not Truth.TRUE
    for name, at, chosen, problem in (
        ("wishart.theorem-4/no-such-step", "records=1", "", "no statement"),
        ("wishart.theorem-4", "records=1", "", "missing"),
        ("wishart.theorem-4", "dimension=5,records=100,epsilon=1", "constant=1", "no such constant"),
    ):
        with pytest.raises(InvalidParameterError, match=problem):
            ask(name, at, chosen)
    with pytest.raises(UnknownClaimError):
        ask("wishart.theorem-44", "records=1")
