"""Run the evidence on emptied statements, and look at each hypothesis alone; write what was noticed beside the claims.

Run as ``python audit/vacuity.py``. Each statement stands with 0, 1, -1 and the sign of its own margin in its place in
turn: some item of evidence about it must notice. Of each hypothesis a point is looked for that it alone excludes, and
at which the conclusion is false or has no value. Proofs and checks run first; what none of them notices goes on to the
items elsewhere, some of which take minutes. The exit code is 0 only if each replacement of each statement is noticed
and such a point of each hypothesis is found, unless ``vacuity_survivors.toml`` next to this file explains why not.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims.ledger import dump
from dpmatrix.claims.names import claim_of
from dpmatrix.claims.tried import HYPOTHESES, Reasons, Tried
from dpmatrix.reporting.trials import turns
from dpmatrix.reporting.vacuity import MARGINS
from dpmatrix.spec import TRIED, load

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FIRST = "proofs_checks"
FOLDERS = (FIRST, "tests", "audit")
READ = (*FOLDERS, "spec", "src")
"""What a run depends on; where a file of it changed, nothing is kept of an earlier one."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--claims", nargs="+", default=[], metavar="ID", help="these claims alone, by their files")
    chosen.add_argument("--changed", action="store_true", help="the claims that changed since they were tried")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep each finished part there, and go on from it")
    parser.add_argument("--survivors", type=Path, default=HERE / "vacuity_survivors.toml", help="the explanations")
    return parser.parse_args()


@frozen
class Evidence:
    """Runs of the evidence, each with one option of the plugin.

    Parameters
    ----------
    workers
        Processes at a time.
    pieces
        Node, statement and role of every piece of evidence that the items in question have.
    claims
        The claims that are tried; empty for all.
    """

    workers: int
    pieces: tuple[tuple[str, str, str], ...]
    claims: frozenset[str] = frozenset()

    @classmethod
    def collect(cls, claims: Collection[str], workers: int) -> Evidence:
        """Find the evidence of these claims, or all of it."""
        words = [f'"{claim}@' for claim in claims] or ["= cite(", ".evidence("]
        files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("test_*.py")]
        named = sorted(str(path) for path in files if any(word in path.read_text(encoding="utf-8") for word in words))
        found = _pytest("--declared-evidence", "--collect-only", *named)
        return cls(workers, tuple((one["node"], one["target"], one["role"]) for one in found), frozenset(claims))

    @property
    def targets(self) -> set[str]:
        """The statements that are tried."""
        return {target for _, target, _ in self.pieces if not self.claims or claim_of(target) in self.claims}

    def nodes(self, *, first: bool, targets: Collection[str]) -> list[str]:
        """Return the items among the proofs and checks, or the others, that are about these statements."""
        found = {node for node, target, _ in self.pieces if target in targets and node.startswith(f"{FIRST}/") == first}
        return sorted(found)

    def run(self, nodes: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
        """Run some items; those of one file in one process, which knows what it noticed."""
        if not nodes:
            return {"evidence": [], "needs": {}}
        found: dict[str, Any] = _pytest("--tried", "-n", str(self.workers), "--dist", "loadfile", *options, *nodes)
        return found

    def one_at_a_time(self, nodes: Sequence[str], kind: str) -> dict[str, Any]:
        """Empty one statement at a time of those that an item is about, until each has been or was noticed."""
        about: dict[str, set[str]] = {}
        for node, target, _ in self.pieces:
            about.setdefault(node, set()).add(target)
        order = {node: turns(about[node]) for node in nodes}
        pieces: list[Any] = []
        for turn in range(max(map(len, order.values()), default=0)):
            tried = self.targets - {target for _, target, _, still in pieces if not still}
            left = [node for node in nodes if turn < len(order[node]) and order[node][turn] in tried]
            if left:
                pieces += self.run(left, ("--margins", kind, "--turn", str(turn)))["evidence"]
        return {"evidence": pieces, "needs": {}}

    def tried(self, kind: str) -> dict[str, Any]:
        """Run proofs and checks with one replacement, or for the hypotheses, and then what is left elsewhere."""
        targets = self.targets
        found = self._try(self.nodes(first=True, targets=targets), kind)
        left = targets - self._settled(kind, found)
        rest = self._try(self.nodes(first=False, targets=left), kind)
        return {
            "evidence": [*found["evidence"], *rest["evidence"]],
            # an item that met a statement without finding anything leaves the word to the others
            "needs": {
                name: found["needs"].get(name) or rest["needs"].get(name, {}) for name in found["needs"] | rest["needs"]
            },
        }

    def _try(self, nodes: Sequence[str], kind: str) -> dict[str, Any]:
        return self.run(nodes, ("--hypotheses",)) if kind == HYPOTHESES else self.one_at_a_time(nodes, kind)

    def _settled(self, kind: str, found: Mapping[str, Any]) -> set[str]:
        """Return the statements that some item noticed, or met where hypotheses are tried; only a support meets one."""
        if kind == HYPOTHESES:
            supported = {target for _, target, role in self.pieces if role.startswith("supports")}
            return {*found["needs"], *(self.targets - supported)}
        return {target for _, target, _, still in found["evidence"] if not still}


def _pytest(option: str, *arguments: str) -> Any:
    """Run pytest, and return what it wrote for an option."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "written.json")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
        done = subprocess.run([*command, option, str(written), *arguments], cwd=ROOT, capture_output=True, text=True)
        if not written.exists():
            raise SystemExit(f"no answer for {option}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return json.loads(written.read_text(encoding="utf-8"))


def _digest(claims: Iterable[str]) -> str:
    """Say in one word what is tried and on which files."""
    digest = hashlib.sha256(json.dumps(sorted(claims)).encode())
    for path in sorted(path for folder in READ for path in (ROOT / folder).rglob("*.py")):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _all_tried(evidence: Evidence, state: Path | None, against: str) -> dict[str, Any]:
    """Try every kind, but for those that a state has of the same files; write it after each."""
    known = json.loads(state.read_text(encoding="utf-8")) if state is not None and state.exists() else {}
    found = known["kinds"] if known.get("against") == against else {}
    for kind in (*MARGINS, HYPOTHESES):
        if kind not in found:
            found[kind] = evidence.tried(kind)
            if state is not None:
                write_atomically(state, dump({"against": against, "kinds": found}))
    return dict(found)


def changed_since(known: Tried, fingerprints: Mapping[str, str]) -> list[str]:
    """Return the claims that are not what they were when they were tried."""
    return [claim for claim, fingerprint in fingerprints.items() if known.fingerprints.get(claim) != fingerprint]


def renewed(known: Tried, tried: Tried, claims: Collection[str]) -> Tried:
    """Put what was tried of these claims in the place of what is known of them; forget claims that are no more."""
    kept = {claim: known.fingerprints[claim] for claim in known.fingerprints.keys() & tried.fingerprints.keys()}
    trials = {name: trial for name, trial in known.trials.items() if claim_of(name) in kept.keys() - {*claims}}
    trials |= {name: trial for name, trial in tried.trials.items() if claim_of(name) in claims}
    return Tried(trials, kept | {claim: tried.fingerprints[claim] for claim in claims})


def main() -> int:
    """Run, write, print, and return the exit code."""
    arguments = _arguments()
    registry = load()
    known = Tried.from_json(json.loads(TRIED.read_text(encoding="utf-8")))
    claims: list[str] = changed_since(known, registry.fingerprints) if arguments.changed else arguments.claims
    if arguments.changed and not claims:
        print("no claim has changed since it was tried")
        return 0
    evidence = Evidence.collect(claims, arguments.workers)
    found = _all_tried(evidence, arguments.state, _digest(claims))
    reasons: Reasons = tomllib.loads(arguments.survivors.read_text(encoding="utf-8"))
    margins = {kind: found[kind]["evidence"] for kind in MARGINS}
    tried = Tried.of(registry, margins, found[HYPOTHESES]["needs"], reasons)
    wanted = [claim.id for claim in registry if not claims or claim.id in claims]
    write_atomically(TRIED, dump(renewed(known, tried, wanted).to_json()))
    problems = tried.problems(wanted, reasons, whole=not claims)
    print(tried.summary(wanted))
    print(*problems, sep="\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
