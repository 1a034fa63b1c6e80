"""The certificate of a release as one HTML file that needs nothing else: on paper two pages, then an appendix."""

from __future__ import annotations

from attrs import frozen

from dpmatrix.release_certificates.contents import NO_RUN, UNKNOWN, Contents
from dpmatrix.release_certificates.numbers import brief
from dpmatrix.release_certificates.topics import VERSION
from dpmatrix.reporting.html import templates
from dpmatrix.typesetting.notations import Unicode
from dpmatrix.typesetting.statements import Typeset

_WIDEST = 90
"""Characters of a formula that fit side by side on a printed page, where none can be scrolled."""


@frozen
class Signature:
    """Where the signed statement of a page stands, and the key id of who signs it."""

    file: str
    key: str


def render(said: Contents, date: str, signature: Signature | None = None) -> str:
    """Write the page; whatever comes from the file is escaped.

    Parameters
    ----------
    said
        What it says.
    date
        The day on which it is written.
    signature
        Of the statement that is signed about it; None where none is.
    """
    template = templates().get_template("release.html.j2")
    return template.render(
        said=said,
        file=said.file,
        date=date,
        signature=signature,
        stated=[one for one in said.foundations if one.formulas or one.theorems],
        unknown=UNKNOWN,
        no_run=NO_RUN,
        nist=VERSION,
        brief=brief,
        fits_paper=fits_paper,
    )


def fits_paper(formulas: Typeset) -> bool:
    """Tell whether each formula is narrow enough for a printed page; cases of one stand below each other.

    Parameters
    ----------
    formulas
        Of a statement.
    """
    lines = (line for case in formulas.cases for line in case.lines(Unicode()))
    return all(len(row) <= _WIDEST for line in lines for row in line.split("; "))
