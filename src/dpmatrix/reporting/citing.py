"""How a file of evidence cites a claim: once, with the fingerprint that its author read; each item says what it shows.

For example::

    theorem_4 = cite("wishart.theorem-4@<fingerprint>")

    @theorem_4.refutes("common-support", grade="symbolic", region="d = 2")
    def test_the_supports_differ(statement): ...
"""

from __future__ import annotations

import attrs
import pytest

from dpmatrix.claims import Citation
from dpmatrix.reporting.prose import Number, prose_of, tell
from dpmatrix.spec import load_with_foundations

REPAIR = "+repair"


@attrs.frozen
class Cited:
    """A claim as one file cites it; its methods mark the items of evidence about it.

    The statement that an item speaks about comes first: the main one if nothing is said, the repaired one for
    ``"+repair"``, else the step of the printed proof with that name. `grade` and `region` are those of
    `dpmatrix.claims.Evidence`, which reads the marks and refuses a word that it does not know.
    """

    claim: str
    fingerprint: str | None

    def citation(self, part: str = "") -> str:
        """Return the citation of one statement, as a marker has it."""
        between = "/" if part and part != REPAIR else ""
        stamp = f"@{self.fingerprint}" if self.fingerprint else ""
        return f"{self.claim}{between}{part}{stamp}"

    def supports(self, part: str = "", *, grade: str, region: str) -> pytest.MarkDecorator:
        """Mark an item that shows the statement in a region."""
        return self._mark(part, "supports", grade, region)

    def refutes(self, part: str = "", *, grade: str, region: str) -> pytest.MarkDecorator:
        """Mark an item that shows the statement to fail in a region."""
        return self._mark(part, "refutes", grade, region)

    def supports_repair(self, *, grade: str, region: str) -> pytest.MarkDecorator:
        """Mark an item that shows the repaired statement in a region."""
        return self._mark(REPAIR, "supports-repair", grade, region)

    def controls(self, part: str = "", *, grade: str, region: str) -> pytest.MarkDecorator:
        """Mark an item that shows a changed version of the statement to fail, so that a check of it can fail."""
        return self._mark(part, "control", grade, region)

    def tells(self, template: str, *values: Number) -> None:
        """Check that numbers, which the item computed, are the figures that the claim's prose has in the places.

        The prose is what the project says of the claim: headline, reason, reading, change and notes. For example
        ``theorem_4.tells("({} at eps = 1)", mass)``; see `dpmatrix.reporting.prose.Figure.is_told_by` for the words
        that a place may have.

        Raises
        ------
        AssertionError
            If the prose does not say it, or a figure is not what was computed.
        """
        claim = load_with_foundations(self.claim)[self.claim]
        tell(self.claim, list(prose_of(claim).values()), template, values)

    def _mark(self, part: str, role: str, grade: str, region: str) -> pytest.MarkDecorator:
        return pytest.mark.evidence(self.citation(part), role=role, grade=grade, region=region)


METHODS = frozenset({"supports", "refutes", "supports_repair", "controls"})
"""The methods of `Cited` that mark an item."""


def cite(citation: str) -> Cited:
    """Cite a claim.

    Parameters
    ----------
    citation
        The claim and its fingerprint: ``wishart.theorem-4@1a2b3c4d``.

    Raises
    ------
    ValueError
        If it is no citation, or one of a single statement: the items name those.
    """
    cited = Citation.parse(citation)
    if cited.target != cited.claim:
        raise ValueError(f"cite the claim {cited.claim!r}; the items name its statements, such as {cited.target!r}")
    return Cited(cited.claim, cited.fingerprint)
