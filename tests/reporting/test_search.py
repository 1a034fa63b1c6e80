"""Words find claims: all of them must occur, what names a claim weighs most, and near misses are told."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from flint import arb

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.errors import NothingFoundError
from dpmatrix.reporting.search import search


def zero(p: object) -> arb:
    return arb(0)


def one(p: object) -> arb:
    return arb(1)


def claim(name: str, **changes: Any) -> Claim:
    parts: dict[str, Any] = {
        "kind": Kind.LEMMA,
        "source": Locator("toy", f"Lemma {name[-1]}", "x"),
        "statement": Statement("x", zero),
        "verdict": Verdict.HOLDS,
        "because": "as printed",
    }
    return Claim(name, **{**parts, **changes})


WEYL = claim("toy.lemma-1", because="By the inequality of Weyl, and a second inequality.")
STEP = claim("toy.lemma-2", steps=(Step("weyl", Statement("eigenvalues move", zero), defect=None, note="Courant"),))
NAMED = claim("toy.weyl-3", reading="a matrix is 2 x 2")
CHANGED = claim(
    "toy.lemma-42",
    statement=Statement("noise is large", zero, given=(Condition("the dimension is even", one),)),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    repair=Repair("halve the noise", Statement("noise is small", one)),
    headline="It leaks.",
)
CLAIMS = (WEYL, STEP, NAMED, CHANGED)
TITLES = {"toy": "Perturbation theory"}


def found(words: str) -> list[str]:
    return [one.id for one in search(CLAIMS, words, TITLES)]


def test_what_names_a_claim_comes_before_what_explains_it() -> None:
    assert found("Weyl") == ["toy.weyl-3", "toy.lemma-1", "toy.lemma-2"]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("weyl inequal", ["toy.lemma-1"]),
        ("courant", ["toy.lemma-2"]),
        ("dimension NOISE halve", ["toy.lemma-42"]),
        ("leaks repair", ["toy.lemma-42"]),
        ("lemma-4", []),
        ("lemma-42", ["toy.lemma-42"]),
        ("theory", [one.id for one in CLAIMS]),
        ("quality", []),
        ("2", ["toy.lemma-2", "toy.lemma-42", "toy.weyl-3"]),
    ],
)
def test_every_word_occurs_from_its_beginning_and_a_number_whole(words: str, ids: list[str]) -> None:
    if ids:
        assert found(words) == ids
    else:
        with pytest.raises(NothingFoundError):
            found(words)


def test_near_misses_are_told() -> None:
    with pytest.raises(NothingFoundError, match=r"'courrant' is nowhere; did you mean courant\?") as raised:
        found("courrant weyl")
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
    with pytest.raises(NothingFoundError, match="courant in 1, noise in 1"):
        found("courant noise")
    with pytest.raises(NothingFoundError, match=r"'xyzzy' is nowhere\)$"):
        found("xyzzy")
    with pytest.raises(NothingFoundError):
        found(" ")


def test_claims_with_most_of_the_words_are_named_where_none_has_all() -> None:
    with pytest.raises(NothingFoundError, match=r"with 2 of these 3 words: toy.lemma-2\)$"):
        found("weyl courant noise")
    with pytest.raises(LookupError):
        search((), "weyl", {})
