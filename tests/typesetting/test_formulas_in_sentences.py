"""Formulas inside sentences: only the signs change, and they can be read back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import dpmatrix.spec
from dpmatrix.typesetting.notations import SUBSCRIPTS, SUPERSCRIPTS
from dpmatrix.typesetting.prose import LETTERS, SIGNS, in_signs

BACK = {"√": "sqrt", " · ": " * ", **{sign: text for text, sign in SIGNS.items()}}


def sentences() -> Iterator[str]:
    """Every text of the claims that is shown to a reader."""
    for claim in dpmatrix.spec.load():
        yield from (claim.source.says, claim.because, claim.reading, claim.headline)
        yield from (step.note for step in claim.steps)
        if claim.repair is not None:
            yield claim.repair.change
        for statement in claim.statements().values():
            yield from (statement.says, *(condition.says for condition in statement.given))


def in_ascii(text: str) -> str:
    """Write signs as sentences name them."""
    for sign, words in BACK.items():
        text = text.replace(sign, words)
    for name, letter in LETTERS.items():
        if name != "eps":
            text = text.replace(letter, name)
    for table, mark in ((SUPERSCRIPTS, "^"), (SUBSCRIPTS, "_")):
        digits = {sign: digit for digit, sign in table.items()}
        run = f"[{''.join(map(chr, digits))}]+"
        text = re.sub(run, lambda found, mark=mark, digits=digits: mark + found[0].translate(digits), text)
    return text


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("1 - exp(-eps/3), 28 % at eps = 1", "1 - exp(-ε/3), 28 % at ε = 1"),
        ("(1-eta)|x|^2 <= sqrt(2) x_1^2", "(1-η)|x|² ≤ √(2) x₁²"),
        ("Delta' >= 2 Gamma", "Δ' ≥ 2 Γ"),
        ("S^-1 * T, 10^-6", "S⁻¹ · T, 10⁻⁶"),
        ("epsilon-private", "ε-private"),
        ("a sigma-algebra", "a σ-algebra"),
        ("sigma_i and sigma_{k+1}", "σ_i and σ_{k+1}"),
    ],
)
def test_signs_are_written(text, signs):
    assert in_signs(text) == signs


@pytest.mark.parametrize(
    "text",
    [
        "gamma(m/2), Gamma(m/2) and a gamma law",
        "the beta distribution",
        "compression.delta-max and `on-the-epsilon`, `a <= b`",
        "delta_share, epsilon_share and delta_max",
        "steps, epsilons, keeps and by-delta",
        "x^(1/2), x^n and 2^1.5",
        "A'A << B",
    ],
)
def test_what_may_be_meant_otherwise_is_left(text):
    assert in_signs(text) == text


def test_every_sentence_of_the_claims_can_be_read_back():
    changed = 0
    for text in sentences():
        shown = in_signs(text)
        changed += shown != text
        plain = re.sub(r"\beps\b", "epsilon", text)
        assert re.sub(r"\beps\b", "epsilon", in_ascii(shown)) == plain
        assert in_signs(shown) == shown
    assert changed > 2000
