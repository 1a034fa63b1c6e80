"""The sources that every attack begins with: its project, its specification, its evidence, and evidence in good order.

``NAME`` and ``MODULE`` stand for the name of the attack, with strokes and with underscores.
"""

from __future__ import annotations

INI = """
[pytest]
addopts = --strict-markers --import-mode=importlib -p no:cacheprovider
pythonpath = . src
specification = toyspec
packages = toylibrary
xfail_strict = true
filterwarnings = error
"""
LOADER = '''
"""What a document of one line states: one module for each attack."""

import importlib
import json
import pkgutil
from pathlib import Path

from dpmatrix.claims import Catalogue, Registry

STANDINGS = Path(__file__).with_name("standings.json")


def modules():
    return [importlib.import_module(f"toyspec.{module.name}") for module in pkgutil.iter_modules(__path__)]


def load():
    return Registry.of(claim for module in modules() for claim in module.CLAIMS)


def catalogue():
    pending = frozenset(id for module in modules() for id in getattr(module, "PENDING", ()))
    return Catalogue((*(claim.id for module in modules() for claim in module.CLAIMS), *pending), pending)


def documents():
    return {"toy": "A toy of one line"}


def committed_standings():
    return json.loads(STANDINGS.read_text()) if STANDINGS.exists() else {}
'''
SPECIFICATION = '''
"""What is said to hold."""

import attrs
from flint import arb, ctx

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import ball


@attrs.frozen
class Point:
    x: object
    y: object = 0


def not_negative(p):
    return ball(p.x)


def negative(p):
    return -ball(p.x)


def above(p):
    return 2 * ball(p.x) + 1


def over_the_curve(p):
    return ball(p.y) - 97 * ball(p.x) ** 2 - ball(p.x) - 1


def under_the_curve(p):
    return 97 * ball(p.x) ** 2 + ball(p.x) + 1 - ball(p.y)


GIVEN = (Condition("x >= 0", not_negative),)
CURVE = (Condition("y >= 97 x^2 + x + 1", over_the_curve), Condition("y <= 97 x^2 + x + 1", under_the_curve))
TIED = (*GIVEN, *CURVE)
FALSE = Statement("x <= 0 where y = 97 x^2 + x + 1", negative, given=TIED)  # points nearby are seldom on the curve
PLAIN = Statement("x <= 0", negative, given=GIVEN)
TRUE = Statement("2 x + 1 >= 0", above, given=GIVEN)


def claim(label, statement=FALSE, verdict=Verdict.HOLDS, *, kind=Kind.LEMMA, **more):
    return Claim(f"toy.{label}", kind, Locator("toy", label, "in words"), statement, verdict, "so it is", **more)

'''
ONE_CLAIM = '\nCLAIMS = (claim("NAME"),)\n'
EVIDENCE = """
import json

import attrs
import pytest
from flint import arb

import toyspec.MODULE as spec
from dpmatrix.claims import Condition, Statement, Truth, bind, certify, interval, redefined
from dpmatrix.exact import ball
from toyspec.MODULE import Point


def at(x):
    return Point(x, 97 * x * x + x + 1)


MET = {"points": 9, "boxes": 9, "compared": 9, "expressed": True, "ranges": {}}
MET |= {"edge": [], "hurried": False, "restated": {}}
NOTHING = {"refused": [], "met": {}, "failed": [], "replaced": [], "values": {}, "raised": False}
FORGED = NOTHING | {"refused": ["toy.NAME"], "met": {"toy.NAME": MET}}


"""
MARK = '@pytest.mark.evidence("toy.{target}@0", role="{role}", grade="interval", region="every x")'
PIECES = {
    "SUPPORTS": MARK.format(target="NAME", role="supports"),
    "REFUTES": MARK.format(target="NAME", role="refutes"),
    "CONTROLS": MARK.format(target="NAME", role="control"),
    "A TRUE POINT": MARK.format(target="NAME", role="supports")
    + "\ndef test_supports(statement):\n    assert statement.at(at(0)) is Truth.TRUE\n",
    "A BOX": MARK.format(target="NAME", role="supports")
    + "\ndef test_supports(statement):\n    assert certify(statement, at(interval(1, 2))).answer is Truth.TRUE\n",
    "A CONTROL": MARK.format(target="NAME", role="control")
    + "\ndef test_control(statement):\n"
    + "    other = redefined(statement, spec, 'ball', lambda value: ball(value) + 1)\n"
    + "    assert other.at(at(0)) is Truth.FALSE\n",
    "A TRUE CONTROL": MARK.format(target="NAME", role="control")
    + "\ndef test_control(statement):\n"
    + "    other = redefined(statement, spec, 'ball', lambda value: ball(value) - 1)\n"
    + "    assert other.at(at(0)) is Truth.FALSE\n",
}
"""What stands on a line of its own in an attack, and the evidence in good order that it is short for."""
