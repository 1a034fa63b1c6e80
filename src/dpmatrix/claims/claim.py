"""Claims: what a document states, and the verdict that the project holds of it."""

from __future__ import annotations

from enum import Enum

import attrs

from dpmatrix.claims.conditions import Final
from dpmatrix.claims.names import check_id, check_step
from dpmatrix.claims.statement import Statement


class Kind(Enum):
    """What sort of thing a claim is."""

    DEFINITION = "definition"
    ALGORITHM = "algorithm"
    PRIVACY = "privacy"
    UTILITY = "utility"
    LEMMA = "lemma"
    LOWER_BOUND = "lower bound"
    EXPERIMENT = "experiment"
    CONJECTURE = "conjecture"
    CROSS = "cross-document"


class Verdict(Enum):
    """What the author of a claim asserts of it; a run must earn it."""

    HOLDS = "holds"
    HOLDS_PROOF_REPAIRED = "holds, proof repaired"
    HOLDS_WITH_REPAIR = "holds with repair"
    REFUTED = "refuted"
    CONDITIONAL = "conditional"
    OPEN = "open"
    WELL_POSED = "well posed"
    ILL_POSED = "ill posed"
    EXECUTABLE = "executable as printed"
    EXECUTABLE_WITH_REPAIR = "executable with repair"
    NOT_EXECUTABLE = "not executable"
    REPRODUCED = "reproduced"
    REPRODUCED_WITH_DIFFERENCE = "reproduced with a difference"
    NOT_REPRODUCIBLE = "not reproducible"


_TRUTH_VERDICTS = frozenset(
    {
        Verdict.HOLDS,
        Verdict.HOLDS_PROOF_REPAIRED,
        Verdict.HOLDS_WITH_REPAIR,
        Verdict.REFUTED,
        Verdict.CONDITIONAL,
        Verdict.OPEN,
    }
)
VERDICTS_OF_KIND: dict[Kind, frozenset[Verdict]] = {
    Kind.DEFINITION: frozenset({Verdict.WELL_POSED, Verdict.ILL_POSED}),
    Kind.ALGORITHM: frozenset({Verdict.EXECUTABLE, Verdict.EXECUTABLE_WITH_REPAIR, Verdict.NOT_EXECUTABLE}),
    Kind.EXPERIMENT: frozenset({Verdict.REPRODUCED, Verdict.REPRODUCED_WITH_DIFFERENCE, Verdict.NOT_REPRODUCIBLE}),
}
"""Kinds that are not listed take the verdicts of a statement that is true or false."""
KINDS_OF_INSTANCES = frozenset({Kind.ALGORITHM, Kind.EXPERIMENT})
"""Kinds whose statements may speak of one run or one datum."""


class Defect(Enum):
    """What is wrong with a statement, or with a sentence, that is false as it is stated."""

    LEAK = "a released output breaks the stated privacy guarantee"
    """At data and privacy parameters that the document admits; what it says elsewhere counts as said."""

    HYPOTHESIS = "a hypothesis is missing"
    """True once a range, a probability or a standing assumption is written out that the sentence leaves unsaid."""

    FORMULA = "a formula is wrong"
    """True under the same hypotheses once a constant, an index or a formula is changed."""

    CONCLUSION = "the conclusion is false"
    """Of a labelled statement, or of a part of one."""

    PROOF = "a line of a proof is false"
    """False where it is used, and what the proof concludes needs it."""

    REMARK = "a remark is false"
    """A sentence on which no proof rests: an introduction, a comparison, an explanation, a caption."""

    SLIP = "a misprint"
    """The right form stands elsewhere in the text, or any reader puts it right."""


OF_SENTENCES = frozenset({Defect.PROOF, Defect.REMARK, Defect.SLIP})
"""What is wrong with sentences only, and never with a labelled statement."""


HEADLINE_LENGTH = 180
"""The most characters that a headline has."""


@attrs.frozen
class Locator:
    """Where a document states something.

    Parameters
    ----------
    document
        Name of the document, the part of a claim's id before the first dot.
    label
        The document's own label, such as ``Theorem 4``, or the section in which the sentence stands.
    says
        What is stated, as formulas in our words; never the document's sentence.
    """

    document: str
    label: str
    says: str


FALSE_AS_STATED = frozenset({Verdict.REFUTED, Verdict.HOLDS_WITH_REPAIR})
"""Verdicts on a statement that is false as the document states it."""


@attrs.frozen
class Step:
    """One step of a printed proof or one sentence of a printed statement, judged on its own.

    Parameters
    ----------
    name
        Short name, unique within its claim.
    statement
        The step as printed.
    defect
        What is wrong with the step as printed; None if it is true. It needs evidence either way.
    note
        What goes wrong, or what must have been meant.
    """

    name: str
    statement: Statement
    defect: Defect | None = attrs.field(kw_only=True)
    note: str = ""

    @property
    def sound(self) -> bool:
        """Whether the step as printed is true."""
        return self.defect is None


@attrs.frozen
class Repair:
    """The named change that makes a claim true, with the statement that results."""

    change: str
    statement: Statement


@attrs.frozen
class Claim(Final):
    """One row of the catalogue, specified and judged.

    Parameters
    ----------
    id
        Identifier in the catalogue, ``document.label``.
    kind, source
        What it is and where it stands.
    statement
        What is judged, executable: the statement as it stands, or a property of a definition or an algorithm.
    verdict
        What the project holds of it.
    because
        The reason for a person: the counterexample, the gap, or the idea of the proof. An empty line ends a paragraph.
    reading
        The reading adopted where the words leave something open.
    repair
        Required for verdicts that rest on a changed statement.
    steps
        The steps of the printed proof.
    uses
        Ids of the claims on which the verdict rests; ``id+repair`` rests on the repaired statement.
    assumes
        Named assumptions of a conditional verdict.
    defect
        What is wrong with a statement that is false as stated; nothing is read from it under another verdict.
    headline
        What fails, for a list of findings: one sentence of at most `HEADLINE_LENGTH` characters; may be empty.
    """

    id: str
    kind: Kind
    source: Locator
    statement: Statement
    verdict: Verdict
    because: str
    reading: str = ""
    repair: Repair | None = None
    steps: tuple[Step, ...] = ()
    uses: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    defect: Defect | None = attrs.field(default=None, kw_only=True)
    headline: str = attrs.field(default="", kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Name the statements and refuse a verdict that the kind does not have."""
        check_id(self.id)
        for step in self.steps:
            check_step(step.name)
        if self.verdict not in VERDICTS_OF_KIND.get(self.kind, _TRUTH_VERDICTS):
            raise ValueError(f"{self.id}: a {self.kind.value} cannot be {self.verdict.value!r}")
        if self.source.document != self.document:
            raise ValueError(f"{self.id}: stands in {self.source.document!r}, not in {self.document!r}")
        if (self.verdict is Verdict.CONDITIONAL) != bool(self.assumes):
            raise ValueError(f"{self.id}: assumptions go with the verdict 'conditional', and only with it")
        if not all(words.strip() for words in self.assumes):
            raise ValueError(f"{self.id}: an assumption without words")
        if self.repair is not None and self.repair.statement.asserts_as_much_as(self.statement):
            raise ValueError(f"{self.id}: the repair asserts what the statement does, under the same hypotheses")
        if self.defect in OF_SENTENCES:
            raise ValueError(f"{self.id}: {self.defect.value!r} is said of steps, and not of a statement")
        if self.headline and (len(self.headline) > HEADLINE_LENGTH or self.headline[-1] != "."):
            raise ValueError(f"{self.id}: the headline is not one sentence of at most {HEADLINE_LENGTH} characters")
        set_field = object.__setattr__
        set_field(self, "statement", attrs.evolve(self.statement, name=self.id))
        if self.repair is not None:
            named = attrs.evolve(self.repair.statement, name=f"{self.id}+repair")
            set_field(self, "repair", attrs.evolve(self.repair, statement=named))
        steps = tuple(
            attrs.evolve(step, statement=attrs.evolve(step.statement, name=f"{self.id}/{step.name}"))
            for step in self.steps
        )
        if self.kind not in KINDS_OF_INSTANCES and any(one.instance for one in self.statements().values()):
            raise ValueError(f"{self.id}: a {self.kind.value} speaks of every point, not of an instance")
        if len({step.name for step in steps}) != len(steps):
            raise ValueError(f"{self.id}: two steps have one name")
        set_field(self, "steps", steps)

    @property
    def document(self) -> str:
        """The document's name."""
        return self.id.partition(".")[0]

    def statements(self) -> dict[str, Statement]:
        """Every statement of the claim by its name: ``id``, ``id+repair``, ``id/step``."""
        found = {self.id: self.statement}
        if self.repair is not None:
            found[self.repair.statement.name] = self.repair.statement
        found.update({step.statement.name: step.statement for step in self.steps})
        return found
