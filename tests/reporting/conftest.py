"""A small project with a specification of its own, to break the gate on purpose."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import attrs
import pytest

from dpmatrix.reporting.restamp import restamp
from tests.reporting.toy import environment
from tests.warm import runs

INI = """
[pytest]
addopts = --strict-markers --import-mode=importlib
pythonpath = . src
specification = toyspec
packages = toylibrary
xfail_strict = true
filterwarnings = error
markers = slow: takes long
"""

SPECIFICATION = '''
"""What a document of one line states."""

import json
from pathlib import Path

import attrs

from dpmatrix.claims import (
    Catalogue,
    Claim,
    Condition,
    Defect,
    Kind,
    Locator,
    Registry,
    Repair,
    Statement,
    Step,
    Verdict,
)
from dpmatrix.exact import ball

STANDINGS = Path(__file__).with_name("standings.json")


@attrs.frozen
class Point:
    x: object


def not_negative(p):
    return ball(p.x)


def doubled(p):
    return 2 * ball(p.x) + 1 - ball(p.x)


def negated(p):
    return -1 - ball(p.x)


GIVEN = (Condition("x >= 0", not_negative),)
TRUE = Statement("2 x + 1 >= x", doubled, given=GIVEN)
FALSE = Statement("-1 >= x", negated, given=GIVEN)
SOUND = Step("sound", TRUE, defect=None)
SLIP = Step("slip", FALSE, defect=Defect.PROOF, note="the sign")
REPAIR = Repair("the sign", TRUE)


def claim(label, verdict=Verdict.HOLDS, statement=TRUE, kind=Kind.LEMMA, **more):
    source = Locator("toy", label, "2 x + 1 >= x")
    return Claim(f"toy.{label}", kind, source, statement, verdict, "arithmetic", **more)


CLAIMS = (
    claim("alpha"),
    claim("beta"),
    claim("gamma"),
    claim("delta"),
    claim("epsilon"),
    claim("zeta"),
    claim("base"),
    claim("middle", uses=("toy.base",)),
    claim("top", uses=("toy.middle",)),
    claim("proof-repaired", Verdict.HOLDS_PROOF_REPAIRED, steps=(SOUND, SLIP)),
    claim("repaired", Verdict.HOLDS_WITH_REPAIR, FALSE, repair=REPAIR),
    claim("corollary", uses=("toy.repaired+repair",)),
    claim("refuted", Verdict.REFUTED, FALSE),
    claim("conditional", Verdict.CONDITIONAL, assumes=("a conjecture",)),
    claim("algorithm", Verdict.EXECUTABLE, kind=Kind.ALGORITHM),
    claim("figure", Verdict.REPRODUCED, kind=Kind.EXPERIMENT),
    claim("question", Verdict.OPEN),
)
IDS = (*(claim.id for claim in CLAIMS), "toy.later")
PENDING = frozenset({"toy.later"})


def load():
    return Registry.of(CLAIMS)


def catalogue():
    return Catalogue(IDS, PENDING)


def documents():
    return {"toy": "A toy <of> one line"}


def committed_standings():
    return json.loads(STANDINGS.read_text()) if STANDINGS.exists() else {}
'''

MECHANISM = """
from dpmatrix.claims import implements


@implements("toy.algorithm@0")
class Doubling:
    def release(self):
        return 2
"""

HEAD = """
import pytest

from dpmatrix.claims import Truth, bind, certify, interval
from dpmatrix.exact import ball
from toyspec import FALSE, TRUE, Point

BOX = Point(interval(0, 1))
"""

CHECKS = {
    "supports": "assert certify(statement, BOX).answer is Truth.TRUE",
    "supports-repair": "assert certify(statement, BOX).answer is Truth.TRUE",
    "refutes": "assert statement.at(Point(1)) is Truth.FALSE",
    "control": "assert statement.nudged(margin=lambda p: -ball(p.x)).at(Point(1)) is Truth.FALSE",
}

PLAIN = "\n\ndef test_plain():\n    pass\n"
AUDIT, TESTS, PROOFS = "audit/test_one.py", "tests/test_two.py", "proofs_checks/test_three.py"


def item(target: str, role: str, grade: str = "interval", *, name: str = "", check: str = "") -> str:
    """One item of evidence about ``toy.<target>``."""
    name = name or f"{target}_{role}".replace("-", "_").replace("/", "_").replace("+", "_")
    return (
        f'\n\n@pytest.mark.evidence("toy.{target}@0", role="{role}", grade="{grade}", region="0 <= x <= 1")\n'
        f"def test_{name}(statement):\n    {check or CHECKS[role]}\n"
    )


def both(target: str, grade: str = "interval") -> str:
    return item(target, "supports", grade) + item(target, "control", grade)


FILES = {
    "pytest.ini": INI,
    "toyspec.py": SPECIFICATION,
    "src/toylibrary/__init__.py": MECHANISM,
    AUDIT: HEAD + both("alpha") + both("beta") + both("gamma") + both("figure", "statistical"),
    TESTS: HEAD + both("delta") + both("epsilon") + both("algorithm", "statistical") + PLAIN,
    PROOFS: HEAD
    + "".join(both(target) for target in ("zeta", "base", "middle", "top", "corollary", "conditional"))
    + both("proof-repaired")
    + item("proof-repaired/sound", "supports")
    + item("proof-repaired/slip", "refutes")
    + item("repaired", "refutes")
    + item("repaired+repair", "supports-repair")
    + item("repaired+repair", "control")
    + item("refuted", "refutes"),
}


@attrs.frozen
class Run:
    """A finished run: exit code, what it printed, and the gate's objections."""

    code: int
    text: str
    objections: tuple[str, ...]

    def objects_to(self, *expected: str) -> None:
        """Check that the gate objects to exactly these things, each told by a part of its message."""
        missing = [part for part in expected if not any(part in objection for objection in self.objections)]
        extra = [objection for objection in self.objections if not any(part in objection for part in expected)]
        assert not missing, f"{missing} not among {self.objections}\n{self.text}"
        assert not extra, f"{extra} are not expected\n{self.text}"
        assert self.code == 1, self.text
        number = len(self.objections)
        assert f"gate: CLOSED, {number} objection{'s' if number != 1 else ''}\n" in self.text


@attrs.frozen
class Toy:
    """The project in a folder of its own."""

    root: Path
    item = staticmethod(item)
    both = staticmethod(both)

    @property
    def ledger(self) -> Path:
        """Where a run leaves its ledger."""
        return self.root / "build/audit/ledger.json"

    @property
    def standings(self) -> Path:
        """The snapshot."""
        return self.root / "standings.json"

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace a piece of text that stands in a file exactly once."""
        text = (self.root / file).read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        (self.root / file).write_text(text.replace(old, new))

    def add(self, file: str, text: str) -> None:
        """Append to a file, new or old."""
        path = self.root / file
        path.write_text((path.read_text() if path.exists() else "") + text)

    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the claims as the file has them now."""
        name = f"toyspec_{abs(hash(str(self.root)))}"
        description = importlib.util.spec_from_file_location(name, self.root / "toyspec.py")
        assert description is not None
        assert description.loader is not None
        module = importlib.util.module_from_spec(description)
        sys.modules[name] = module
        try:
            description.loader.exec_module(module)
            return dict(module.load().fingerprints)
        finally:
            del sys.modules[name]

    def drop(self, file: str, target: str, role: str, grade: str = "interval") -> None:
        """Delete one item of evidence; before stamping."""
        self.edit(file, item(target, role, grade), "")

    def stamp(self) -> None:
        """Bring the fingerprints in all citations up to date."""
        restamp(self.root, self.fingerprints())

    def pytest(self, *arguments: str, python: Iterable[str] = ()) -> Run:
        """Run pytest in a process of its own; where that has options, in one that imports everything itself."""
        before = self.ledger.read_bytes() if self.ledger.exists() else None
        parallel = ["-p", "xdist"] if "-n" in arguments else []
        command = ["-m", "pytest", "-p", "dpmatrix.reporting.pytest_plugin", *parallel, *arguments]
        if python:
            done = subprocess.run(
                [sys.executable, *python, *command],
                cwd=self.root,
                env=environment(),
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
        else:
            done = runs().run(command, cwd=self.root, env=environment(), timeout=120)
        after = self.ledger.read_bytes() if self.ledger.exists() else None
        record = json.loads(after) if after is not None and after != before else {"violations": []}
        return Run(done.returncode, done.stdout + done.stderr, tuple(record["violations"]))

    def audit(self, *arguments: str, python: Iterable[str] = ()) -> Run:
        """Close or open the gate."""
        return self.pytest("audit", *arguments, python=python)


@pytest.fixture(scope="session")
def template(tmp_path_factory) -> Path:
    """Write the project in good order, with its accepted snapshot."""
    root = tmp_path_factory.mktemp("template")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    toy = Toy(root)
    toy.stamp()
    run = toy.audit("--accept-standings")
    assert run.code == 0, run.text
    shutil.rmtree(root / "build")
    for name, text in FILES.items():
        (root / name).write_text(text)  # unstamped again, so that edits find their text
    return root


@pytest.fixture
def toy(template, tmp_path) -> Toy:
    """Copy the project, to be broken."""
    return Toy(Path(shutil.copytree(template, tmp_path / "toy")))


@pytest.fixture
def stamped(toy) -> Toy:
    """Copy the project and bring its citations up to date."""
    toy.stamp()
    return toy
