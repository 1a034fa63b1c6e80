"""Fingerprints follow the mathematics of a claim, all of it, and nothing else."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from flint import ctx

import dpmatrix.spec
from dpmatrix.claims import fingerprint
from dpmatrix.claims.description import describe_statement

SOURCE = '''
import functools
from fractions import Fraction

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import ball

SCALE = fmpq(3, 2)
THIRD = Fraction(1, 3)
DEFAULT = Fraction(1, 7)
WEIGHTS = (1, 2, (fmpq(5, 7),))
WIDE = arb((2**150 + 1, -150), (1, -190))
MATRIX = fmpq_mat(2, 1, [1, fmpq(2, 3)])
TABLE = (("left", 1), ("right", 2))
NAMES = frozenset({"left", "right", "middle", "top", "bottom"})


@attrs.frozen
class Point:
    """Where the statement speaks."""

    x: int
    records: int = 4

    @property
    def doubled(self):
        """Twice x."""
        return 2 * scaled(self.x)


@attrs.frozen
class Settings:
    tolerance: Fraction


SETTINGS = Settings(Fraction(1, 9))


def scaled(value):
    return value * 12


def helper(value):
    """Add one."""
    return value + 1


@functools.cache
def remembered(value):
    return value + 5


def only_in_a_comprehension(value):
    return value * 7


def power(base, exponent):
    return base**exponent


square = functools.partial(power, exponent=2)


def margin(p: Point, offset=DEFAULT):
    """The margin."""
    # a comment
    total = SCALE * helper(p.doubled) + offset + THIRD + remembered(2) - SETTINGS.tolerance + square(p.x)
    total += sum(only_in_a_comprehension(i) for i, _ in enumerate(WEIGHTS)) + len(NAMES) + dict(TABLE)["left"]
    return ball(total) + WIDE + MATRIX[1, 0]


def first(p):
    return second(p) + third(p)


def second(p):
    return ball(p.x) - 2


def third(p):
    return ball(p.x) - 3


def at_least(field, bound, weigh=helper):
    def condition(p):
        return ball(weigh(getattr(p, field))) - bound

    return Condition("the field is large", condition)


CLAIM = Claim(
    "toy.claim",
    Kind.LEMMA,
    Locator("toy", "Claim 1", "x > 2"),
    Statement("it is so", margin, given=(at_least("x", 2), Condition("second", second))),
    Verdict.CONDITIONAL,
    "because",
    reading="every x",
    repair=Repair("the sign", Statement("repaired", first)),
    steps=(Step("only", Statement("a step", second, strict=True), defect=None, note="a note"),),
    uses=("toy.other",),
    assumes=("a conjecture",),
)
'''


@pytest.fixture
def printed(tmp_path) -> Callable[[str], str]:
    """Fingerprint of the claim in a source text."""

    def compute(source: str, name: str = "toy_fingerprints") -> str:
        path = tmp_path / f"{name}_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(source)
        return load(path, name)

    return compute


def load(path: Path, name: str) -> str:
    """Run a file as a module, and return the fingerprint of its claim."""
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
        return fingerprint(module.CLAIM)
    finally:
        del sys.modules[name]


CHANGES = {
    "rational constant": ("fmpq(3, 2)", "fmpq(3, 4)"),
    "fraction constant": ("THIRD = Fraction(1, 3)", "THIRD = Fraction(1, 4)"),
    "default argument": ("DEFAULT = Fraction(1, 7)", "DEFAULT = Fraction(1, 8)"),
    "nested constant": ("(fmpq(5, 7),)", "(fmpq(5, 8),)"),
    "last digit of a ball": ("2**150 + 1,", "2**150 + 3,"),
    "radius of a ball": ("(1, -190)", "(1, -191)"),
    "matrix entry": ("fmpq(2, 3)])", "fmpq(2, 5)])"),
    "matrix shape": ("fmpq_mat(2, 1,", "fmpq_mat(1, 2,"),
    "table entry": ('("left", 1)', '("left", 3)'),
    "member of a set": ('"bottom"}', '"base"}'),
    "record constant": ("Settings(Fraction(1, 9))", "Settings(Fraction(1, 10))"),
    "field of the point": ("records: int = 4", "records: int = 5"),
    "property of the point": ("return 2 * scaled(self.x)", "return 3 * scaled(self.x)"),
    "helper of a property": ("value * 12", "value * 13"),
    "helper": ("return value + 1", "return value + 2"),
    "cached helper": ("return value + 5", "return value + 6"),
    "helper in a comprehension": ("return value * 7", "return value * 8"),
    "helper in a partial": ("return base**exponent", "return base*exponent"),
    "argument of a partial": ("exponent=2)", "exponent=3)"),
    "operator": ("SCALE * helper", "SCALE + helper"),
    "literal": ("return ball(p.x) - 2", "return ball(p.x) - 4"),
    "closed-over constant": ('at_least("x", 2)', 'at_least("x", 3)'),
    "closed-over field": ('at_least("x", 2)', 'at_least("records", 2)'),
    "closed-over function": ('at_least("x", 2)', 'at_least("x", 2, scaled)'),
    "hypothesis dropped": (', Condition("second", second))', ",)"),
    "words of a hypothesis": ("the field is large", "the field is small"),
    "strictness of a hypothesis": ('Condition("second", second)', 'Condition("second", second, strict=True)'),
    "strictness of a step": ("second, strict=True", "second"),
    "another function that was described before": ('Condition("second", second)', 'Condition("second", helper)'),
    "one helper of two, both described before": ('"a step", second', '"a step", third'),
    "words of the statement": ("it is so", "it is not so"),
    "printed formula": ("x > 2", "x >= 2"),
    "place": ("Claim 1", "Claim 2"),
    "reading": ("every x", "some x"),
    "kind": ("Kind.LEMMA", "Kind.UTILITY"),
    "judgement of a step": ("defect=None", "defect=Defect.PROOF"),
    "name of a step": ('Step("only"', 'Step("sole"'),
    "repaired statement": ('"repaired", first', '"repaired", second'),
    "assumption": ("a conjecture", "two conjectures"),
    "reason": ('"because"', '"for another reason"'),
    "defect of a step": ("defect=None", "defect=Defect.REMARK"),
    "note": ("a note", "another note"),
    "foundation": ('"toy.other"', '"toy.another"'),
    "words of a repair": ("the sign", "a factor"),
    "form": ('"it is so", margin', '"it is so", margin, one_sided=True'),
    "exhibited number": ('"it is so", margin', '"it is so", margin, exists=(Chosen("x", exhibited=3),)'),
}
KEPT = {
    "comment": ("# a comment", "# another comment"),
    "docstring of a margin": ("The margin.", "What is left."),
    "docstring of a class": ("Where the statement speaks.", "A point."),
    "docstring of a helper": ('    """Add one."""\n', ""),
    "line breaks": (
        "ball(total) + WIDE + MATRIX[1, 0]",
        "(\n        ball(total) + WIDE\n        + MATRIX[1, 0]\n    )",
    ),
    "quotes and blanks": ('dict(TABLE)["left"]', "dict(TABLE)[ 'left' ]"),
    "number notation": ("value * 12", "value * 1_2"),
    "code that the claim does not name": ("def third(p)", "def unused(p):\n    return 0\n\n\ndef third(p)"),
    "order of a set": ('{"left", "right", "middle"', '{"middle", "right", "left"'),
}


@pytest.mark.parametrize(("old", "new"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_the_mathematics_changes_it(printed, old, new) -> None:
    assert SOURCE.count(old) == 1, "the edit must be the only one"
    assert printed(SOURCE.replace(old, new)) != printed(SOURCE)


@pytest.mark.parametrize(("old", "new"), KEPT.values(), ids=KEPT)
def test_a_change_of_words_around_it_does_not(printed, old, new) -> None:
    assert SOURCE.count(old) == 1, "the edit must be the only one"
    assert printed(SOURCE.replace(old, new)) == printed(SOURCE)


def test_swapping_two_functions_changes_it(printed) -> None:
    """Both functions are described either way, through the repaired statement."""
    swapped = SOURCE.replace('"a step", second', '"a step", third').replace('"second", second', '"second", third')
    assert len({printed(SOURCE), printed(swapped), printed(SOURCE.replace('"a step", second', '"a step", third'))}) == 3


def test_it_does_not_depend_on_the_working_precision(printed) -> None:
    before, expected = ctx.prec, printed(SOURCE)
    try:
        ctx.prec = 400
        assert printed(SOURCE) == expected
    finally:
        ctx.prec = before


def test_it_is_the_same_in_every_process(printed, tmp_path) -> None:
    path = tmp_path / "apart.py"
    path.write_text(SOURCE)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import apart; from dpmatrix.claims import fingerprint;"
        "print(fingerprint(apart.CLAIM))"
    )
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", code, str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == printed(SOURCE)


REFUSED = {
    "no description": ("SCALE = fmpq(3, 2)", "SCALE = object()", "has no stable description"),
    "a counter": ("SCALE = fmpq(3, 2)", "import itertools; SCALE = itertools.count()", "has no stable description"),
    "a list": ("WEIGHTS = (1, 2, (fmpq(5, 7),))", "WEIGHTS = [1, 2]", "a list in .* can be changed"),
    "a list inside": ("(fmpq(5, 7),)", "[fmpq(5, 7)]", "a list in .* can be changed"),
    "a table": ('TABLE = (("left", 1), ("right", 2))', 'TABLE = {"left": 1}', "a dict in .* can be changed"),
    "a set": ("NAMES = frozenset({", "NAMES = set({", "a set in .* can be changed"),
    "a default": ("offset=DEFAULT", "offset=[1]", "a list in .* can be changed"),
    "an import": ("    # a comment", "    import time", "imports time where it computes"),
    "an inner import": (
        "return value * 7",
        "return (lambda: __import__('os'))()",
        "computes with the built-in __import__",
    ),
    "the file system": ("return value + 1", "return open(value)", "computes with the built-in open"),
    "an address": ("return value + 1", "return id(value)", "computes with the built-in id"),
    "a global": ("    # a comment", "    global SCALE; SCALE = 3", "changes SCALE where it computes"),
    "through a module": (
        "return value + 1",
        "return len(exact.sys.modules)",
        "computes with sys, which no fingerprint covers",
    ),
}


@pytest.mark.parametrize(("old", "new", "words"), REFUSED.values(), ids=REFUSED)
def test_what_may_have_another_value_tomorrow_is_refused(printed, old, new, words) -> None:
    source = SOURCE.replace("import attrs\n", "import attrs\nfrom dpmatrix import exact\n", 1)
    assert source.count(old) == 1, "the edit must be the only one"
    with pytest.raises(TypeError, match=words):
        printed(source.replace(old, new))


def test_helpers_of_other_modules_of_the_specification_count(tmp_path) -> None:
    found = set()
    for constant in (1, 2):
        helpers = tmp_path / f"helpers_{constant}.py"
        helpers.write_text(f"CLAIM = None\n\n\ndef distant(value):\n    return value + {constant}\n")
        for number, named in enumerate(
            ("from dpmatrix.spec.toy_helpers import distant", "import dpmatrix.spec.toy_helpers as there")
        ):
            source = SOURCE.replace("import attrs\n", f"import attrs\n{named}\n", 1)
            call = "distant(p.x)" if number == 0 else "there.distant(p.x)"
            source = source.replace("return ball(p.x) - 3", f"return ball({call})")
            found.add(with_helpers(tmp_path, helpers, source))
    assert len(found) == 4


def with_helpers(folder: Path, helpers: Path, source: str) -> str:
    """Fingerprint of a claim beside a module of the specification that exists only here."""
    import dpmatrix.spec

    name = "dpmatrix.spec.toy_helpers"
    specification = importlib.util.spec_from_file_location(name, helpers)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    dpmatrix.spec.toy_helpers = module  # type: ignore[attr-defined] # it exists only here
    try:
        specification.loader.exec_module(module)
        path = folder / f"claims_{len(list(folder.iterdir()))}.py"
        path.write_text(source)
        return load(path, "toy_with_helpers")
    finally:
        del sys.modules[name]
        del dpmatrix.spec.toy_helpers  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("wishart.theorem-4", "class WishartProfile"),
        ("wishart.lemma-2", "def l1_sensitivity"),
        ("wishart.theorem-4", "def ball"),
    ],
)
def test_the_trusted_base_is_described(claim, source) -> None:
    """What a statement computes with outside the specification: exact numbers, sensitivities, privacy profiles."""
    assert any(source in part for part in describe(claim))


def describe(claim: str) -> list[str]:
    seen: dict[int, int] = {}
    return [part for one in dpmatrix.spec.load()[claim].statements().values() for part in describe_statement(one, seen)]
