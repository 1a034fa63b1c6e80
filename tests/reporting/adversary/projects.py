"""Attacks as data, and the small projects that carry them out."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import attrs

from tests.reporting.adversary.guards import ANYWAY
from tests.reporting.adversary.sources import EVIDENCE, INI, LOADER, ONE_CLAIM, PIECES, SPECIFICATION
from tests.reporting.toy import environment

FOLDER = Path(__file__).parent


@attrs.frozen
class Attack:
    """A false, empty, circular or irrelevant claim, and the evidence with which it asks to stand.

    Parameters
    ----------
    family, name
        Its file, and its place there.
    does
        What it does, in a sentence.
    guard
        What stands in its way; without it the claim would stand.
    without
        The same as names of `guards.GUARDS`, where it can be taken away.
    evidence
        Source of the test file.
    specification
        Source of the module of the specification, after what all of them begin with.
    files
        Further files: path to text.
    refusal
        Words that the objections must contain, each in one of them.
    arguments
        Further arguments of the run.
    alone
        Whether it needs a run of its own.
    accepts
        Whether the run is asked to accept its standings.
    escapes
        Whether it asks for no more than that the run ends as if the gate were open.
    claims
        Claims whose standing it asks for, with that standing; by default its one claim, to be earned.
    """

    family: str
    name: str
    does: str
    guard: str
    evidence: str
    specification: str = ONE_CLAIM
    files: dict[str, str] = attrs.Factory(dict)
    refusal: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    without: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    arguments: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    alone: bool = False
    accepts: bool = True
    escapes: bool = False
    claims: dict[str, str] = attrs.Factory(dict)

    @property
    def module(self) -> str:
        """Name of its module."""
        return self.name.replace("-", "_")

    def filled(self, text: str) -> str:
        """Write its names, and the evidence that a word stands for, into a source."""
        lines = [PIECES.get(line.strip(), line) for line in text.split("\n")]
        return "\n".join(lines).replace("NAME", self.name).replace("MODULE", self.module)

    def asks(self) -> dict[str, str]:
        """Return the standings that it asks for."""
        return self.claims or {f"toy.{self.name}": "earned"}

    @property
    def is_read_only(self) -> bool:
        """Whether it is refused by what is written, so that nothing of its project runs."""
        return any(words.startswith("evidence does not") for words in self.refusal)

    def write(self, root: Path) -> None:
        """Add its files to a project."""
        written = {
            "pytest.ini": INI,
            "toyspec/__init__.py": LOADER,
            "src/toylibrary/__init__.py": "",
            f"toyspec/{self.module}.py": SPECIFICATION + self.specification,
            f"audit/{self.module}/test_{self.module}.py": EVIDENCE + self.evidence,
            **self.files,
        }
        for name, text in written.items():
            path = root / self.filled(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.filled(text))


def read_attacks() -> list[Attack]:
    """Read every family."""
    found = []
    for path in sorted((FOLDER / "attacks").glob("*.toml")):
        entries = tomllib.loads(path.read_text())
        found += [Attack(path.stem, name, **entry) for name, entry in entries.items()]
    return found


@attrs.frozen
class Run:
    """What became of one project."""

    code: str
    text: str
    ledger: dict | None

    @classmethod
    def of(cls, root: Path) -> Run:
        """Read what a run left in its project."""
        ledger = root / "build/audit/ledger.json"
        record = json.loads(ledger.read_text()) if ledger.exists() else None
        return cls((root / "code.txt").read_text(), (root / "output.txt").read_text(), record)

    def said_of(self, attack: Attack) -> list[str]:
        """Return the objections, and the lines of the output, that name the attack's claims or files."""
        objections = [] if self.ledger is None else self.ledger["violations"]
        words = (*attack.asks(), f"/{attack.module}/", f"toyspec.{attack.module}")
        lines = [*objections, *self.text.splitlines()]
        return [line for line in lines if attack.alone or any(word in line for word in words)]

    def objections_to(self, attack: Attack) -> list[str]:
        """Return the objections alone."""
        objections = [] if self.ledger is None else self.ledger["violations"]
        return [line for line in self.said_of(attack) if line in objections]

    def stands(self, attack: Attack) -> bool:
        """Whether the attack has all that it asks for, without an objection."""
        if attack.escapes:
            return self.code == "0"
        if self.ledger is None:
            return False
        found = {name: self.ledger["standings"].get(name, {}).get("standing") for name in attack.asks()}
        return found == attack.asks() and not self.objections_to(attack) and (not attack.alone or self.code == "0")


def carry_out(attacks: Iterable[Attack], folder: Path, *, unguarded: bool = False) -> dict[str, Run]:
    """Run all attacks: those that need it alone, the others of a family together, apart from those that are only read.

    Parameters
    ----------
    attacks
        What to run.
    folder
        Where the projects are written.
    unguarded
        Whether the guards that the attacks are aimed at are taken away.
    """
    jobs: dict[Path, dict] = {}
    where = {}
    for attack in attacks:
        without = sorted({*attack.without, *ANYWAY}) if unguarded else []
        company = "-".join(["without", *without]) if unguarded else attack.family + "-unread" * attack.is_read_only
        root = folder / (attack.module if attack.alone else company)
        where[attack.name] = root
        attack.write(root)
        accepts = ["--accept-standings"] if attack.accepts else []
        arguments = ["-q", "--tb=line", *accepts, *attack.arguments]
        jobs[root] = {"root": str(root), "arguments": arguments, "without": without}
    (folder / "jobs.json").write_text(json.dumps([*jobs.values()]))
    command = [sys.executable, str(FOLDER / "run_projects.py"), str(folder / "jobs.json")]
    subprocess.run(command, env=environment(), check=True, timeout=300)
    return {name: Run.of(root) for name, root in where.items()}
