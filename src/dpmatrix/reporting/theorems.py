"""How a file of evidence names the theorems about a document: an item for each theorem and statement.

For example::

    theorems = about("wishart")

    @theorems.evidence()
    def test_theorem(proved, statement) -> None:
        proved.agrees(statement)

An item shows that the certificate is one of the files as they are, that the proposition is a fresh trace of the
statement, and that the hypotheses can be met; whether Rocq checked the theorem is for the run to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from dpmatrix.claims import Grade, Role, Statement, Truth, claim_of
from dpmatrix.kernel.certificate import Certificate
from dpmatrix.kernel.generated import document_of
from dpmatrix.kernel.judging import Proofs
from dpmatrix.kernel.propositions import proposition
from dpmatrix.kernel.sources import FOLDER
from dpmatrix.kernel.theorems import Theorem
from dpmatrix.reporting.kernel_run import spoken
from dpmatrix.spec import load
from dpmatrix.tracing import UntraceableError, trace
from dpmatrix.tracing.points import point
from dpmatrix.tracing.sampling import draw

POINTS, MANY = 6, 60
"""Points of each case at which a statement is evaluated, and at which a false one is searched for a failure."""


@attrs.frozen(repr=False)
class Proved:
    """A theorem and a statement that it speaks of.

    Parameters
    ----------
    theorem, proofs, certificate
        The theorem, with everything that is written of proofs.
    points
        Points at which to evaluate a statement that has no expression, or that fails at few.
    """

    theorem: Theorem
    proofs: Proofs
    certificate: Certificate
    points: tuple[Any, ...] = ()

    def agrees(self, statement: Statement) -> None:
        """Assert that the certificate is of these files, the proposition of this statement, and that it says something.

        Raises
        ------
        AssertionError
            If something of this is not so; the text says what.
        """
        objections = self.certificate.objections(self.proofs, self.theorem.key)
        assert not objections, f"{self.theorem.key}: {'; '.join(objections)}"
        if self.theorem.kind is Grade.KERNEL_MARGIN:
            written = self.proofs.propositions[statement.name].text
            assert proposition(statement).text == written, "the proposition differs from a fresh trace of the statement"
        # a law is not about the expression of the statement: points that are given suffice
        enough = self.theorem.kind is Grade.KERNEL_LAW and self.points
        found = () if enough else drawn(statement, known=self.points)
        answers = [statement.at(one) for one in (*self.points, *found)]
        assert answers, f"{statement.name}: no point is known that meets the hypotheses, so that it may say nothing"
        if self.theorem.role is Role.REFUTES:
            false = filter(statement.fails, drawn(statement, MANY, known=self.points))
            seen = Truth.FALSE in answers or any(statement.at(one) is Truth.FALSE for one in false)
            assert seen, f"{statement.name}: no point is known at which it fails"
        else:
            assert Truth.FALSE not in answers, f"{statement.name}: it fails at a point"


def drawn(statement: Statement, count: int = POINTS, known: Collection[Any] = ()) -> Iterator[Any]:
    """Yield points that certainly meet the hypotheses of a statement; none where only given points count.

    Those are an instance, which speaks of the points that its document fixes, and a statement without an expression.

    Parameters
    ----------
    statement
        The statement.
    count
        Number of points of each case.
    known
        Points that are known to meet the hypotheses.

    Raises
    ------
    AssertionError
        If none is found in some case, and none is known.
    """
    if statement.instance:
        return
    try:
        traced = trace(statement)
    except UntraceableError:
        return
    for case in traced.cases:
        points = [point(case.layout, values) for values, inside in draw(case, count, statement.name) if inside]
        certain = [one for one in points if statement.applies(one) is Truth.TRUE]
        assert certain or known, f"{statement.name}: no point of {case.fixed or 'any kind'} meets the hypotheses"
        yield from certain


@attrs.frozen(repr=False)
class About:
    """The theorems about a document, for the file of evidence that names them."""

    proofs: Proofs
    certificate: Certificate
    theorems: tuple[Theorem, ...]

    def evidence(self, points: Mapping[str, Iterable[Any]] | None = None) -> pytest.MarkDecorator:
        """Mark an item with the arguments ``proved`` and ``statement`` as one for each theorem and statement.

        Parameters
        ----------
        points
            For statements by name: points at which to evaluate them beside those that are drawn.
        """
        given = points or {}
        fingerprints = load().fingerprints
        params = []
        for theorem in self.theorems:
            entry = self.certificate.theorems.get(theorem.key)
            for name, words in spoken(theorem).items():
                # a proposition is traced from the text as it is; a law was read beside the text of its time
                read = fingerprints if entry is None or theorem.proposition else entry.fingerprints
                stamp = read.get(claim_of(name), "")
                mark = pytest.mark.evidence(f"{name}@{stamp}", role=words[1], grade=words[2], region=words[3])
                proved = Proved(theorem, self.proofs, self.certificate, tuple(given.get(name, ())))
                params.append(pytest.param(proved, marks=mark, id=f"{theorem.name}-{name}"))
        return pytest.mark.parametrize("proved", params)


def about(document: str, root: Path | None = None) -> About:
    """Return the theorems that speak of a document's statements first.

    Parameters
    ----------
    document
        Its name.
    root
        The checkout; by default the one that this file is part of.
    """
    folder = (Path(__file__).resolve().parents[3] if root is None else root) / FOLDER
    proofs = Proofs.read(folder)
    theorems = [theorem for theorem in proofs.theorems.values() if document_of(theorem.statements[0]) == document]
    return About(proofs, Certificate.read(folder), tuple(theorems))
