"""The certificate: what the last whole check by Rocq found, and whether it is still of these files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs

from dpmatrix.claims import Registry
from dpmatrix.claims.names import claim_of
from dpmatrix.kernel.checking import Compiled, Found
from dpmatrix.kernel.judging import Proofs, allowed
from dpmatrix.kernel.sources import CERTIFICATE, KernelError, recorded, sentences, without_comments
from dpmatrix.kernel.theorems import Theorem

PACKAGES = "debian-packages.txt"


@attrs.frozen
class Entry:
    """What the check found of one theorem.

    Parameters
    ----------
    digest
        Hash of its file and of every own file that this depends on.
    pin
        Hash of its closed type and of the own definitions that it leads to.
    axioms
        The entries of its set of axioms that it uses.
    lines, seconds
        Lines of its statement and proof, and how long its file took.
    kind, role, statements
        What it was to which statements.
    fingerprints
        Of each claim that it speaks of, at the time of the check.
    """

    digest: str
    pin: str
    axioms: tuple[str, ...]
    lines: int
    seconds: float
    kind: str
    role: str
    statements: tuple[str, ...]
    fingerprints: Mapping[str, str]


@attrs.frozen
class Certificate:
    """What the last whole check found: when, with what, and of each theorem."""

    date: str
    rocq: str
    packages: tuple[str, ...]
    theorems: Mapping[str, Entry]

    @classmethod
    def read(cls, folder: Path) -> Certificate:
        """Read the certificate beside the proofs; an empty one where there is none.

        Raises
        ------
        KernelError
            If it is of another form.
        """
        record = recorded(folder)
        try:
            theorems = {name: _entry(entry) for name, entry in record["theorems"].items()}
            return cls(record["date"], record["rocq"], tuple(record["packages"]), theorems)
        except (KeyError, TypeError, AttributeError) as error:
            raise KernelError(f"{CERTIFICATE} cannot be read: {error}") from error

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the inverse of `read`."""
        return attrs.asdict(self)

    def objections(self, proofs: Proofs, name: str) -> list[str]:
        """List why the certificate is not one of a theorem as it is written now."""
        theorem, entry = proofs.theorems[name], self.theorems.get(name)
        if entry is None:
            return ["no check has seen it"]
        found = []
        if entry.digest != proofs.sources.digest(theorem.file):
            found.append(f"{theorem.file}, or a file that it depends on, has changed since the check of {self.date}")
        if (entry.kind, entry.role, entry.statements) != _part(theorem):
            found.append(f"it was something else to other statements at the check of {self.date}")
        _, beyond = allowed(entry.axioms, proofs.axioms.get(theorem.axioms, ()))
        return found + [f"it used {axiom}, which is not in the set {theorem.axioms!r}" for axiom in beyond]

    def strangers(self, proofs: Proofs) -> list[str]:
        """List the theorems that it names and that there are not."""
        return [f"{CERTIFICATE}: there is no theorem {name}" for name in sorted(self.theorems.keys() - proofs.theorems)]


def _entry(record: Mapping[str, Any]) -> Entry:
    return Entry(**{**record, "axioms": tuple(record["axioms"]), "statements": tuple(record["statements"])})


def _part(theorem: Theorem) -> tuple[str, str, tuple[str, ...]]:
    return theorem.kind.value, theorem.role.value, theorem.statements


def wanted_packages(folder: Path) -> tuple[str, ...]:
    """Return the packages that the check is meant for, as ``name=version``."""
    return tuple(sorted((folder / PACKAGES).read_text(encoding="utf-8").split()))


def certify(
    proofs: Proofs, compiled: Compiled, registry: Registry, date: str, rocq: str, packages: Iterable[str] = ()
) -> Certificate:
    """Return the certificate of a check that found nothing wrong.

    Parameters
    ----------
    proofs, compiled, registry
        What was checked, and what Rocq said of it; the claims.
    date, rocq, packages
        When it was, and with what: the version of Rocq, and the packages that the machine had.
    """
    return Certificate(
        date,
        rocq,
        tuple(packages),
        {name: _certified(proofs, theorem, compiled, registry) for name, theorem in sorted(proofs.theorems.items())},
    )


def _certified(proofs: Proofs, theorem: Theorem, compiled: Compiled, registry: Registry) -> Entry:
    found = compiled.found[theorem.full_name]
    used, _ = allowed(found.assumed, proofs.axioms[theorem.axioms])
    claims = sorted({claim_of(statement) for statement in theorem.statements})
    return Entry(
        proofs.sources.digest(theorem.file),
        pin_of(proofs, theorem, found),
        used,
        lines_of(proofs.sources.texts[theorem.file], theorem.name),
        compiled.seconds[theorem.file],
        *_part(theorem),
        {claim: registry.fingerprints[claim] for claim in claims},
    )


def pin_of(proofs: Proofs, theorem: Theorem, found: Found) -> str:
    """Return the hash of what a theorem says; of a margin it covers the text of the generated definition."""
    texts = [proofs.propositions[name].text for name in theorem.statements if theorem.proposition]
    return sha256("\n".join((found.pin, *texts)).encode()).hexdigest()


def changed(certificate: Certificate, proofs: Proofs, compiled: Compiled) -> dict[str, list[str]]:
    """List for each theorem what Rocq says now and the certificate does not."""
    found: dict[str, list[str]] = {}
    for name, theorem in proofs.theorems.items():
        entry, here = certificate.theorems.get(name), compiled.found.get(theorem.full_name)
        if entry is None or here is None:
            continue
        used, _ = allowed(here.assumed, proofs.axioms.get(theorem.axioms, ()))
        found[name] = ["its type is not that of the certificate"] if pin_of(proofs, theorem, here) != entry.pin else []
        found[name] += ["its axioms are not those of the certificate"] if used != entry.axioms else []
    return found


def lines_of(text: str, name: str) -> int:
    """Count the lines of a theorem, from its statement to the end of its proof."""
    count, inside = 0, False
    for line in text.splitlines():
        words = without_comments(line).split()
        inside = inside or (
            len(words) > 1 and words[0] in ("Theorem", "Lemma", "Corollary") and words[1].strip(":") == name
        )
        count += inside and bool(words)
        if inside and any(one in ("Qed", "Defined") for one in sentences(line)):
            return count
    return count
