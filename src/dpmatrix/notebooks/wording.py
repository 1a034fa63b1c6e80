"""Claims in Markdown, with formulas that Jupyter typesets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dpmatrix.claims import Claim, Recorded, Statement
from dpmatrix.typesetting.formulas import Relation
from dpmatrix.typesetting.notations import Latex
from dpmatrix.typesetting.prose import in_signs
from dpmatrix.typesetting.statements import Formulas, typeset

_MARKS = re.compile(r"([\\*_{}\[\]<>#|$~&])")


def plain(text: str) -> str:
    """Write words in signs, so that Markdown shows them as they are; names between backticks stay code."""
    pieces = in_signs(" ".join(text.split())).split("`")
    if len(pieces) % 2 == 0:
        return _MARKS.sub(r"\\\1", "`".join(pieces)).replace("`", r"\`")
    return "`".join(piece if odd % 2 else _MARKS.sub(r"\\\1", piece) for odd, piece in enumerate(pieces))


def statement_lines(label: str, statement: Statement) -> Iterator[str]:
    """Yield paragraphs about a statement: its words, its hypotheses, and its formulas where it has some."""
    yield f"**{label}.** {plain(statement.says)}."
    if statement.given:
        yield f"*Given:* {'; '.join(plain(one.says) for one in statement.given)}."
    found = typeset(statement)
    if found is None:
        return
    for case in found.cases:
        yield from _case(case)
    for words in (*found.functions, found.note):
        if words:
            yield f"({plain(words)})"


def _case(case: Formulas) -> Iterator[str]:
    writer, notation = case.writer(Latex()), Latex()
    names = [f"${notation.symbol(symbol)}$ ({plain(variable.name)})" for variable, symbol in case.names]
    given = ", ".join(f"${writer.formula(formula)}$" for formula in case.given)
    fixed = f", with {plain(case.fixed)}" if case.fixed else ""
    yield f"In symbols, {', '.join(names) or 'without variables'}{fixed}{', given ' if given else ''}{given}:"
    yield f"$${writer.formula(case.conclusion.formula)}$$"
    if case.conclusion.letters:
        letters = r", \quad ".join(writer.formula(Relation("=", *letter)) for letter in case.conclusion.letters)
        yield rf"$$\text{{where }} {letters}$$"


def claim_lines(claim: Claim, recorded: Recorded | None) -> Iterator[str]:
    """Yield paragraphs about a claim: what it states, the verdict with its standing, and the reason."""
    yield f"## {plain(claim.source.label)}: `{claim.id}`"
    yield from statement_lines("Statement", claim.statement)
    standing = "no run has judged it yet" if recorded is None else f"in the accepted run: {_standing(recorded)}"
    yield f"**Verdict: {claim.verdict.value}** ({standing})."
    reason = claim.headline or claim.because.split("\n\n")[0]
    yield plain(reason)


def _standing(recorded: Recorded) -> str:
    return recorded.standing + (f", {recorded.basis.value}" if recorded.basis is not None else "")
