"""Documentation as plain words: no markup is left, and nothing that is no markup is lost."""

from __future__ import annotations

import pytest

from dpmatrix.reporting.plain import formula, plain
from dpmatrix.reporting.sentences import counted, pieces_of_evidence


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (r"e^{-\mathrm{tr} W/2c}", "exp(-tr W/2c)"),
        (r"e^{-k^2 / 2v}", "exp(-k^2 / 2v)"),
        (r"|\log q(N + D) - \log q(N)| \le \mathrm{tr} D/2c", "|log q(N + D) - log q(N)| ≤ tr D/2c"),
        (
            r"q(N) \propto e^{\mathrm{tr} N/2c} \int_{W \ge 0,\, W \ge N} e^{-\mathrm{tr} W/c}\, dW .",
            "q(N) ∝ exp(tr N/2c) ∫ over {W ≥ 0, W ≥ N} of exp(-tr W/c) dW .",
        ),
        (r"m = \min(k, d - 1)", "m = min(k, d - 1)"),
        ("x_{ij} <= 2**-b", "x_(ij) <= 2**-b"),
    ],
)
def test_formulas(written, said) -> None:
    assert formula(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("See `Release`, ``over_norm`` and :class:`Mechanism`.", "See Release, over_norm and Mechanism."),
        ("range 2 r**2, or r**2 for *one* row", "range 2 r**2, or r**2 for one row"),
        ("the weight 2 * x * y stays", "the weight 2 * x * y stays"),
        ("with\n    density :math:`e^{v'Bv}`, B", "with density exp(v'Bv), B"),
        ("the density\n\n.. math:: q(N) \\le 1 .\n\nLet D be", "the density q(N) ≤ 1 . Let D be"),
    ],
)
def test_paragraphs(written, said) -> None:
    assert plain(written) == said


def test_counts() -> None:
    assert [counted(number, "finding") for number in (0, 1, 2, 1234)] == [
        "0 findings",
        "1 finding",
        "2 findings",
        "1,234 findings",
    ]
    assert pieces_of_evidence([]) == "0 pieces of evidence from 0 test items"
    assert pieces_of_evidence(["a"]) == "1 piece of evidence from 1 test item"
    assert pieces_of_evidence(["a", "a", "b"]) == "3 pieces of evidence from 2 test items"
