"""Figures in the pages of the documentation, computed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from pathlib import Path

import sympy
from flint import arb
from sklearn.datasets import load_digits

from audit.strangers import STRANGERS, Stranger
from audit.strangers.later import LATER
from dpmatrix.auditing.certify.confidence import upper_confidence_bound
from dpmatrix.exact import ball
from dpmatrix.experiments.privacy_figure import SYNTHETIC_RECORDS
from dpmatrix.mechanisms.menu import Settings, build
from dpmatrix.mechanisms.streams.factorisation import WindowFactorisation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import GaussianPromise, printed_divergence
from dpmatrix.spec.analyze_gauss.subspace_privacy import GapSettings, wrong_vector_probability
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.near_optimal.utility_figures import COVARIANCE
from dpmatrix.spec.wishart.scalar_noise import GaussianNoise, gaussian_delta
from dpmatrix.spec.wishart.wishart_perturbation import wishart_delta
from tests.benchmarks.kept_outputs import KEEPERS
from tests.benchmarks.test_kept_outputs import NOT_COVERED
from tests.documentation.told_pages import page

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
ZOO, WINDOWS = BENCHMARKS / "zoo_detection.txt", BENCHMARKS / "windows_against_jax_privacy.txt"

auditor, researcher, estimators = page("auditor"), page("researcher"), page("estimators")
benchmarks, command_line = page("benchmarks"), page("command-line")
analyze_gauss, near_optimal, sliding_window = page("analyze-gauss"), page("near-optimal"), page("sliding-window")


def audited() -> list[list[str]]:
    """Return the rows of the committed run of the auditor over the faulty mechanisms."""
    table = ZOO.read_text(encoding="utf-8").partition("\n| mechanism |")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()[2:]]


def test_what_the_auditor_found() -> None:
    rows = audited()
    found = [row for row in rows if row[4] == "yes"]
    silent = [row for row in rows if row[4] == "no verdict"]
    finite = [row for row in rows if re.match(r"[\d.]+, ", row[3]) and row[4] == "yes" and row[6] != "-"]
    shares = {row[0]: float(row[6].strip(">=() ")) for row in finite}
    enough = [name for name, share in shares.items() if share >= 0.8]
    auditor.tells("Of the {} that exceed their claim", len(found) + len(silent))
    auditor.tells("outputs can show, {} were certified", len(found))
    auditor.tells("On the other {} there is no verdict", len(silent))
    least = min(shares[name] for name in enough)
    auditor.tells("Of the {} whose true ε is finite and known, {} were bounded", len(shares), len(enough))
    auditor.tells("were bounded by at least {above} of it", least)
    auditor.tells("`sparse-vector-3` by {}, and", shares["sparse-vector-3"])
    auditor.tells("entries at once, by {}.", shares["laplace-l2-sensitivity-10"])


def outcomes(file: str, strangers: Sequence[Stranger] = LATER) -> Counter[tuple[bool, str]]:
    """Count the mechanisms of a table of strangers by whether they are faulty, and by what came of the audit."""
    rows = [line.strip("| ").split(" | ") for line in (ZOO.parent / file).read_text(encoding="utf-8").splitlines()]
    faulty = {stranger.place.removeprefix("audit.strangers."): not stranger.right for stranger in strangers}
    return Counter((faulty[row[0]], row[4]) for row in rows if row[0] in faulty)


def test_strangers() -> None:
    first, now = outcomes("strangers_later_first.txt"), outcomes("strangers_later.txt")
    assert first.total() == now.total() == len(LATER)
    faults = sum(not stranger.right for stranger in LATER)
    auditor.tells("Sixty more, {} of them faulty", faults)
    auditor.tells("first tried, {} had no verdict", first[True, "no verdict"] + first[False, "no verdict"])
    auditor.tells("of the others {} faulty ones were found and {} missed", first[True, "found"], first[True, "missed"])
    auditor.tells("missed, and {} right ones passed", first[False, "passed"])
    auditor.tells("any kind, and {} of the {} are found and {} missed", now[True, "found"], faults, now[True, "missed"])
    auditor.tells("all {} right ones pass", now[False, "passed"])
    again = [stranger for stranger in LATER if stranger.adjacency is Adjacency.ADD_REMOVE_ONE]
    auditor.tells("of the day after for the {} by add/remove", len(again))
    assert not first[False, "false alarm"] + now[False, "false alarm"]


def test_strangers_of_the_first_set() -> None:
    found = outcomes("strangers_first.txt", STRANGERS)
    assert found.total() == len(STRANGERS) == 100
    faults = sum(not stranger.right for stranger in STRANGERS)
    auditor.tells("as people write them, {} of them faulty", faults)
    auditor.tells("{} faulty ones were found and {} missed, one had", found[True, "found"], found[True, "missed"])
    auditor.tells("each of the {} right ones passed", found[False, "passed"])
    assert found[True, "no verdict"] == 1
    assert found[False, "passed"] == len(STRANGERS) - faults
    again = [stranger for stranger in STRANGERS if stranger.adjacency is Adjacency.ADD_REMOVE_ONE]
    auditor.tells("but for the {} by add/remove", len(again))


def test_where_outputs_repeat() -> None:
    run = (BENCHMARKS / "kept_outputs.txt").read_text(encoding="utf-8").partition("Samples drawn by two")[0]
    table = [line.strip("| ").split(" | ") for line in run.splitlines() if line.startswith("| ")]
    rows = {row[0]: row[1:] for row in table}
    counts = {name: [int(cell) for cell in rows[name][1:]] for name in KEEPERS}
    honest = [name for name, keeper in KEEPERS.items() if keeper.independent]
    assert all(rows[name][0] == ("independent" if name in honest else "not independent") for name in KEEPERS)
    audits, alarms, silent, passed = (sum(column) for column in zip(*counts.values(), strict=True))
    assert alarms == 0
    auditor.tells("audited {} times each", counts[honest[0]][0])
    auditor.tells("no false alarm in {} audits", audits)
    auditor.tells("the rate on these is below {below}", upper_confidence_bound(alarms, audits, NOT_COVERED))
    closed = [counts[name] for name in KEEPERS if name not in honest]
    auditor.tells("All {} audits of the seven", sum(row[0] for row in closed))
    assert all(row[2] == row[0] for row in closed)
    auditor.tells("of the {} others {} passed", audits - sum(row[0] for row in closed), passed)
    auditor.tells("passed and {} had too few outputs", silent - sum(row[2] for row in closed))


def test_probabilities() -> None:
    auditor.tells("1 - exp(-1/3), about {}, whatever", wishart_delta(InputPerturbation(2, 1, 1)))
    large = GaussianNoise(10, Fraction(1, 10), 1, Fraction(23, 10), Fraction(24, 100))
    researcher.tells("the guarantee is missed by {}.", gaussian_delta(large) - arb(1) / 10)
    leak = GapSettings(1, Fraction(1, 10**6), Fraction(1, 10))
    missed = [wrong_vector_probability(leak, ball(gap)) for gap in (leak.gap, 1 - leak.gap)]
    analyze_gauss.tells("has probability {} on one data set and {} on", 1 - missed[0], missed[1])
    before, after = (sympy.Matrix([row, 0]) * sympy.Matrix([row, 0]).T for row in (10, 11))
    sliding_window.tells("moves the second moment by {}:", (after - before).norm(2))
    near_optimal.tells("({} records, {} features, two components", SYNTHETIC_RECORDS, len(COVARIANCE.values))


def test_handwritten_digits() -> None:
    """Pixels of the pictures, and what is left of them by means over two by two."""
    images = load_digits().images
    most, pixels, left = images.max(), images[0].size, images[0].size // 4
    bound = sqrt(left) * most / 2
    estimators.tells("digits have {} pixels, each the number of black points in a square of {}.", pixels, most)
    estimators.tells("Means over two by two pixels leave {} numbers between 0 and {}.", left, most)
    estimators.tells("so the bound {}, since {} numbers within 8 of", bound, left)
    estimators.tells("are a vector of norm at most {}:", bound)
    estimators.tells("A random choice of four of {} directions", left)
    estimators.tells("two Wishart matrices with {} degrees of freedom", left + 1)
    estimators.tells("Reducing {} pixels to {} is what makes", pixels, left)
    estimators.tells("with all {} the first four directions", pixels)


def test_where_the_constant_of_analyze_gauss_fails() -> None:
    """Over the epsilons of a grid whose steps are below the digits that are shown, and deltas from 1e-9 to 0.01."""

    def fails(epsilon: Fraction, delta: Fraction, adjacency: Adjacency) -> bool:
        return bool(printed_divergence(GaussianPromise(epsilon, delta, 1, adjacency)) > ball(delta))

    deltas = [Fraction(1, 10**k) for k in range(2, 10)]
    added = (Fraction(k, 10) for k in range(140, 170))
    least = next(e for e in added if any(fails(e, delta, Adjacency.ADD_REMOVE_ONE) for delta in deltas))
    researcher.tells("up to an epsilon of about {},", least)
    replaced = (Fraction(k, 1000) for k in range(300, 400))
    least = next(e for e in replaced if fails(e, deltas[-1], Adjacency.REPLACE_ONE))
    researcher.tells("for one row replaced fails from {} on, at the smallest delta", least)


def test_windows_beside_jax_privacy() -> None:
    """Read off the committed run; the first of ours is computed again."""
    lines = WINDOWS.read_text(encoding="utf-8").splitlines()
    run = {(line[:24].strip(), line[24:68].strip()): float(line[68:78]) for line in lines}
    windows = {name: value for (workload, name), value in run.items() if workload == "windows, W = 1000"}
    ours, least = windows.pop("this library, 1.5 W bands"), windows.pop("no fixed weights on a long stream")
    factorisation = WindowFactorisation(1000, 1500)
    assert abs(factorisation.gains(3000)[-1] * factorisation.squared_norm / 4.0**16 - ours) < 1e-3
    assert len(windows) == 3
    benchmarks.tells("times the squared sensitivity, is {} for `BandedWindowGram`", ours)
    benchmarks.tells("`BandedWindowGram` and {} for the best of its three strategies", min(windows.values()))
    benchmarks.tells("no fixed weights have less than {} on a long stream", least)
    sums = {value for (workload, _), value in run.items() if workload == "sums, n = 1000"}
    assert len(sums) == 1
    benchmarks.tells("both have the same {}.", sums.pop())


def test_how_coordinates_of_a_file_are_truncated() -> None:
    """As the command builds a mechanism; the bound 8 has three binary digits, which rounded noise counts as well."""
    for name, digits in (("symmetrised-wishart", 17), ("coupled-traces", 17), ("k-norm", 17), ("laplace", 20)):
        public = {"epsilon": 1, "adjacency": Adjacency.REPLACE_ONE, "norm_bound": 8}
        built = build(Settings(mechanism=name, calibration="tight", delta=0, public=public))
        assert built.coordinate_bits == digits
    command_line.tells("Coordinates are truncated to {} binary digits", built.coordinate_bits)
