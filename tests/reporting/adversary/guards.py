"""Guards of the judge, each with what takes it away: without it, what it refuses has its standing.

Each is taken away in a process that does nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs

from dpmatrix import claims
from dpmatrix.claims import Outcome, families, gate, observation, standing, statement
from dpmatrix.exact import rational
from dpmatrix.reporting import conduct, intact, outcomes, written


def _binding() -> None:
    """Believe the role of every item that passed."""
    outcomes._Report.binds = lambda *_: True


def _failures() -> None:
    """Do not look for a held statement that was seen false."""
    outcomes.Outcomes.failures = lambda *_: {}


def _search() -> None:
    """Look at no points nearby."""
    observation.Observed.search = lambda *_: None


def _plain() -> None:
    """Take every object for a point."""
    observation.is_plain = lambda *_: True


def _one_value() -> None:
    """Ask a margin once."""
    statement.Statement.is_function = lambda *_: True


def _variants() -> None:
    """Allow subclasses of statements, hypotheses and claims."""
    statement.Final.__init_subclass__ = classmethod(lambda *_: None)


def _unchanged() -> None:
    """Know a statement by its name."""
    outcomes.Specified.has = lambda self, one: one.name in self._known and one.origin is None


def _replaced() -> None:
    """Do not compare modules with what was imported."""
    intact.Modules.replaced = lambda *_: ()


def _needs() -> None:
    """Ask for no evidence at all."""
    standing._missing = lambda *_: []


def _foundations() -> None:
    """Do not ask what a claim rests on."""
    standing._foundations = lambda *_: []


def _passing() -> None:
    """Take what was skipped for passed."""
    judged = outcomes.Outcomes.judge

    def judge(self, evidence):
        found = judged(self, evidence)
        return attrs.evolve(found, outcome=Outcome.PASSED) if found.outcome is Outcome.SKIPPED else found

    outcomes.Outcomes.judge = judge


def _deselected() -> None:
    """Do not miss what did not run."""
    violations = gate.violations

    def ran(registry, catalogue, evidence, *others):
        kept = [one for one in evidence if one.outcome is not Outcome.DESELECTED]
        return violations(registry, catalogue, kept, *others)

    claims.violations = ran


def _citations() -> None:
    """Do not ask for which text evidence was written."""
    gate._citation = lambda *_: []


def _catalogue() -> None:
    """Do not compare the claims with the catalogue."""
    gate._registry_and_catalogue = lambda *_: []


def _written() -> None:
    """Do not look for evidence that was not collected."""
    written.uncollected = lambda *_: []


def _snapshot() -> None:
    """Compare with no snapshot."""
    gate.gated = lambda *_: None


def _conduct() -> None:
    """Do not read what evidence reaches for."""
    conduct.misconduct = lambda *_: []


def _variation() -> None:
    """Do not ask whether a margin ever varies."""
    outcomes.Outcomes.constant = lambda *_: []


def _alone() -> None:
    """Take one point for as good as many."""
    outcomes.Outcomes.alone = lambda *_: []


def _hurry() -> None:
    """Search no longer where points are slow, and do not say so."""
    observation.LEAST = 0


def _restatements() -> None:
    """Do not compare hypotheses with the conclusion."""
    outcomes.Outcomes.restated = lambda *_: []


def _choices() -> None:
    """Ask families nowhere between eighths, and nowhere farther out."""
    families._farther = lambda *_: ()
    families._NUMBERS = {**families._NUMBERS, families.Range.SHARE: [rational(k) / 8 for k in range(1, 8)]}


def _equality() -> None:
    """Take every thin ball about zero for an equality."""
    statement.Statement.is_equality = lambda self, point: abs(self.formula(point)) < 2.0**-32


GUARDS: dict[str, Callable[[], None]] = {
    name.removeprefix("_").replace("_", "-"): thing
    for name, thing in list(vars().items())
    if callable(thing) and name.startswith("_") and getattr(thing, "__module__", "") == __name__
}


ANYWAY = ("alone", "restatements", "variation")
"""Taken away beside whatever an attack is aimed at: its one true point, or its plain margin, is refused as well."""


def take_away(names: Iterable[str]) -> None:
    """Take guards away, for good."""
    for name in names:
        GUARDS[name]()
