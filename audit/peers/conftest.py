"""Other libraries under audit: collected only where they are installed, see `make peers`. Nothing here is evidence."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from audit.peers.report_drafts import write_drafts
from dpmatrix.auditing import (
    AuditResult,
    InputPair,
    NeighbouringPair,
    RepresentationAuditResult,
    RepresentationTarget,
    Target,
    audit,
    audit_representation,
    seen_at_resolution,
)
from dpmatrix.privacy import Adjacency

PEERS = {
    "diffprivlib": (
        "test_diffprivlib_components.py",
        "test_diffprivlib_mathematics.py",
        "test_diffprivlib_models.py",
        "test_diffprivlib_representation.py",
        "test_bingham_samplers.py",
        "test_features.py",
    ),
    "opendp": (
        "test_opendp_components.py",
        "test_opendp_mathematics.py",
        "test_opendp_representation.py",
        "test_bingham_samplers.py",
        "test_features.py",
    ),
    "autodp": ("test_autodp_accounting.py", "test_report_drafts.py"),
    "prv_accountant": ("test_prv_accountant_accounting.py",),
    "opacus": ("test_opacus_accounting.py",),
    "dpcrpy": ("test_dpcrpy_sensitivities.py",),
    "pydp": ("test_pydp_mathematics.py", "test_pydp_representation.py"),
}
REPORT = Path("build", "audit", "peers.txt")
POOL = 8192
TRIED, VIOLATES, KEEPS, CONTROL = "tried", "VIOLATES", "not refuted", "control, half of the noise: refuted"
UNDERSTATES, COVERS = "UNDERSTATES", "not below the truth"
FIRST = (VIOLATES, UNDERSTATES, "QUADRATURE", "ACCOUNTING")
"""What is certified comes before what is computed from the law as it is coded, and what is a sum of budgets."""
AGAIN = ".venv-peers/bin/python -m pytest"
# With backtraces, which opendp turns on where nothing is said, one of its exceptions takes a fifth of a second.
os.environ["RUST_BACKTRACE"] = "0"

collect_ignore = sorted({file for package, files in PEERS.items() if find_spec(package) is None for file in files})


class PooledGenerator:
    """Stands in for NumPy's generator where a peer draws normal vectors one at a time: the same law, made in bulk.

    A peer's loop factors the same covariance for every proposal; here it is factored once and 8,192 vectors are made
    of it. Everything else that the peer does is left to the peer.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator
        self._covariance = b""
        self._vectors = np.zeros((0, 0))
        self._used = 0
        self._uniforms: list[float] = []

    def multivariate_normal(self, mean: np.ndarray, cov: np.ndarray, size: int | None = None) -> np.ndarray:
        """Return one vector, shape (d,), or several, shape (size, d)."""
        count = 1 if size is None else size
        if cov.tobytes() != self._covariance or self._used + count > len(self._vectors):
            factor = np.linalg.cholesky(cov)
            self._vectors = self._generator.standard_normal((POOL, len(cov))) @ factor.T
            self._covariance, self._used = cov.tobytes(), 0
        start, self._used = self._used, self._used + count
        return mean + (self._vectors[start] if size is None else self._vectors[start : self._used])

    def random(self) -> float:
        """Return a uniform number."""
        if not self._uniforms:
            self._uniforms = self._generator.random(POOL).tolist()
        return self._uniforms.pop()


@pytest.fixture
def pooled() -> Callable[[np.random.Generator], PooledGenerator]:
    """Make generators for a peer's loops."""
    return PooledGenerator


@pytest.fixture
def with_numpy(monkeypatch) -> Callable[[np.random.Generator], None]:
    """Let opendp's eigenvectors draw from a given generator, and search the constant of an envelope once a matrix.

    It asks another package for a generator, which only hands out the system's bits; and it repeats the search, which
    has no randomness, for every draw.
    """
    import opendp._lib
    import opendp.prelude

    search, found = opendp.prelude.binary_search, {}

    def once(predicate: Callable[[float], bool], bounds: tuple[float, float]) -> float:
        eigenvalues = next(cell.cell_contents for cell in predicate.__closure__)
        key = (eigenvalues.tobytes(), bounds)
        if key not in found:
            found[key] = search(predicate, bounds=bounds)
        return found[key]

    def use(generator: np.random.Generator) -> None:
        monkeypatch.setattr(opendp._lib, "_np_csprng", PooledGenerator(generator))
        monkeypatch.setattr(opendp.prelude, "binary_search", once)

    return use


@pytest.fixture
def strong_axes() -> Callable[[int, int], NeighbouringPair]:
    """Make the pair on which the samplers of eigenvectors lose most of those that were searched, see `losses`.

    Half of the records lie along the first axis and half along the second; then one goes from the first to the second.
    The second moment of the data prefers no direction of the plane, that of the neighbour prefers one.
    """

    def make(dimension: int, records: int) -> NeighbouringPair:
        axes = np.eye(dimension)
        data = np.repeat(axes[:2], records, axis=0)
        neighbour = np.vstack([axes[1:2], data[1:]])
        return NeighbouringPair("two equally strong axes; a record moves", Adjacency.REPLACE_ONE, data, neighbour)

    return make


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say of every audit what was tried and found, in the order of `FIRST`, with the command that tries it again.

    The peers draw from the operating system, so that trying again means fresh outputs. The same lines are written to a
    file.
    """
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    lines = [
        (text, report.nodeid)
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, text in report.user_properties
        if name == TRIED
    ]
    if not lines:
        return
    order = {word: place for place, word in enumerate(FIRST)}
    lines.sort(key=lambda line: (order.get(line[0].partition(":")[0], len(order)), line[1]))
    texts = [f"{text}\n    again: {AGAIN} '{nodeid}'" for text, nodeid in lines]
    terminalreporter.section("audits of peers")
    for text in texts:
        terminalreporter.write_line(text)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text("\n".join(texts) + "\n", encoding="utf-8")
    written = write_drafts(REPORT.parent / "reports")
    terminalreporter.write_line(f"{len(written)} drafts of reports to maintainers: {written[0].parent}")


@pytest.fixture
def audited_mathematics(note, record_property, failure_probability) -> Callable[..., AuditResult]:
    """Audit what a peer computes, its outputs rounded to multiples of 2**-30 so that low bits cannot speak."""

    def run(
        target: Target, pairs, *, epsilon, delta=0, training=1000, confirmation=20_000, control=False, cause=""
    ) -> AuditResult:
        result = audit(
            seen_at_resolution(target, 2.0**-30),
            pairs,
            epsilon=epsilon,
            delta=delta,
            training=training,
            confirmation=confirmation,
            failure_probability=failure_probability,
            generator=1,
        )
        note(result)
        word = (CONTROL if control else VIOLATES) if result.violated else KEEPS
        tried = f"{len(pairs)} pair{'s' * (len(pairs) > 1)}, {result.counts.trials} confirming outputs of each"
        bounds = f"epsilon >= {result.epsilon_lower_bound:.3g}, delta >= {result.delta_lower_bound_at_epsilon:.3g}"
        why = f"; cause: {cause}" * (bool(cause) and result.violated)
        record_property(TRIED, f"{word}: claimed {float(epsilon):.4g}, {float(delta):.4g}; {bounds}; {tried}{why}")
        return result

    return run


@pytest.fixture
def audited_low_bits(
    note_representation, record_property, failure_probability
) -> Callable[..., RepresentationAuditResult]:
    """Audit the low bits of a peer's outputs, 25,000 on each input of the pair that is confirmed."""

    def run(
        target: RepresentationTarget, pairs: list[InputPair], *, epsilon, delta=0, cause=""
    ) -> RepresentationAuditResult:
        result = audit_representation(
            target,
            pairs,
            epsilon=epsilon,
            delta=delta,
            training=5000,
            confirmation=20_000,
            failure_probability=failure_probability,
            generator=1,
        )
        note_representation(result)
        word = VIOLATES if result.leaks or result.violated else KEEPS
        bound = f"low bits: delta >= {result.delta_lower_bound:.3g} at epsilon = {float(epsilon):.4g}"
        why = f"; cause: {cause}" * (bool(cause) and word == VIOLATES)
        claim = f"claimed {float(epsilon):.4g}, {float(delta):.4g}"
        record_property(TRIED, f"{word}: {claim}; {bound}; {len(pairs)} pairs, 20000 confirming outputs of each{why}")
        return result

    return run


@pytest.fixture
def accounted(record_property) -> Callable[..., bool]:
    """Compare what an accountant reports with a certified bound from below, and leave the sentence in the list.

    Both are a delta at the same epsilon: the true delta at the reported epsilon beside the one that was asked for, or
    the true delta beside the reported one. The answer is whether the accountant understates, which no chance decides.
    """

    def run(what: str, *, reported: float, certified: float, at: float, cause: str = "") -> bool:
        understates = bool(certified > reported)
        why = f"; cause: {cause}" * (bool(cause) and understates)
        word = UNDERSTATES if understates else COVERS
        record_property(
            TRIED, f"{word}: {what}: delta {reported:.4g} at epsilon = {at:.6g}; truth: delta >= {certified:.4g}{why}"
        )
        return understates

    return run
