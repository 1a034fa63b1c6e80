"""A claim for a paper: its statements in LaTeX, and entries of BibTeX for it and for its document."""

from __future__ import annotations

from collections.abc import Iterator

from dpmatrix import __version__
from dpmatrix.claims import Claim, Statement
from dpmatrix.typesetting.formulas import Relation
from dpmatrix.typesetting.notations import Latex, latex_text
from dpmatrix.typesetting.publications import PUBLICATIONS
from dpmatrix.typesetting.statements import Formulas, Typeset, typeset

AUTHORS = "The dpmatrix maintainers"
"""As `CITATION.cff` names them."""
PROJECT = "dpmatrix: an executable, audited reference for differentially private matrix analysis"
"""Title of the project, as `CITATION.cff` has it."""
NO_FORMULA = "% It has no formula that is short enough to read: python -m dpmatrix trace {name}"


def latex(claim: Claim, fingerprint: str, title: str) -> str:
    """Return what a paper needs to state and cite a claim: LaTeX with amsmath, and BibTeX.

    Parameters
    ----------
    claim
        The claim.
    fingerprint
        Its fingerprint.
    title
        Title of the document, ``Authors: title``.
    """
    lines = [f"% {claim.id}@{fingerprint}, dpmatrix {__version__}; needs amsmath", ""]
    lines += _statement(claim.source.label, claim.statement)
    if claim.repair is not None:
        lines += ["", *_statement(f"{claim.source.label}, repaired", claim.repair.statement)]
    lines += ["", "% Verdict: " + claim.verdict.value, "", *_claim_entry(claim, fingerprint)]
    return "\n".join([*lines, "", *_document_entry(claim.document, title)])


def _statement(label: str, statement: Statement) -> Iterator[str]:
    yield rf"\paragraph{{{latex_text(label)}.}} In words: {latex_text(statement.says)}."
    found = typeset(statement)
    if found is None:
        yield NO_FORMULA.format(name=statement.name.partition("+")[0])
        return
    for case in found.cases:
        yield from _case(case)
    yield from _notes(found)


def _case(case: Formulas) -> Iterator[str]:
    writer, notation = case.writer(Latex()), Latex()
    names = [f"${notation.symbol(symbol)}$ ({latex_text(variable.name)})" for variable, symbol in case.names]
    numbers = f"For {', '.join(names)}" if names else "Without variables"
    given = ", ".join(f"${writer.formula(formula)}$" for formula in case.given)
    fixed = f", with {latex_text(case.fixed)}" if case.fixed else ""
    yield f"{numbers}{fixed}{', given ' if given else ''}{given}:"
    yield rf"\[ {writer.formula(case.conclusion.formula)} \]"
    letters = [writer.formula(Relation("=", *letter)) for letter in case.conclusion.letters]
    if letters:
        listed = r", \quad ".join(letters)
        yield rf"\[ \text{{where }} {listed} \]"


def _notes(found: Typeset) -> Iterator[str]:
    for words in (*found.functions, found.note):
        if words:
            yield f"% {words}"


def _claim_entry(claim: Claim, fingerprint: str) -> Iterator[str]:
    yield f"@misc{{dpmatrix:{claim.id},"
    yield f"  author = {{{{{AUTHORS}}}}},"
    yield f"  title = {{{{{latex_text(PROJECT)}}}}},"
    yield rf"  note = {{Version {__version__}, claim \texttt{{{claim.id}@{fingerprint}}}: {claim.verdict.value}}},"
    yield "}"


def _document_entry(document: str, title: str) -> Iterator[str]:
    """Yield an entry for a document: where it was published, if it was, and else its title with plain names apart."""
    publication = PUBLICATIONS.get(document)
    if publication is None:
        yield from _titled_entry(document, title)
    elif publication.slides:
        yield from _titled_entry(document, title, f"{publication.edition} {publication.slides}")
        yield ""
        yield from publication.entry(f"{document}:paper")
    else:
        yield from publication.entry(document)


def _titled_entry(document: str, title: str, note: str = "") -> Iterator[str]:
    """Yield an entry of a title; its authors apart where what stands before the colon is their names alone."""
    authors, colon, said = title.partition(": ")
    names = authors.split(", ")
    yield f"@misc{{{document},"
    if colon and all(name.isalpha() for name in names):
        yield f"  author = {{{latex_text(' and '.join(names))}}},"
        title = said
    yield f"  title = {{{{{latex_text(title)}}}}},"
    if note:
        yield f"  note = {{{latex_text(note)}}},"
    yield "}"
