"""The tool that mutates the library: its changes, the items that it asks, and what it reports of planted survivors."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.warm import tools

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "audit"))

from mutation.source import View  # noqa: E402 - a folder of scripts
from mutation.source_operators import edits_of  # noqa: E402

NOISE = """
def scale(epsilon, sensitivity=1):
    if epsilon <= 0:
        raise ValueError("epsilon")
    return 2 * sensitivity / epsilon


def total(values, entropy):
    found = 0
    for value in values:
        found += value
    return found + draw(entropy)


def draw(source):
    return source.pop()


def idle(value):
    return value + 1
"""

ITEMS = """
import pytest

from toy_library.noise import scale, total


def test_scale():
    assert scale(2) == 1
    assert scale(1, sensitivity=3) == 6


def test_total():
    assert total([1, 2, 3], [10]) == 16


def test_refusal():
    with pytest.raises(ValueError):
        scale(-1)
"""


def after(text: str, operator: str) -> set[str]:
    """Return every text that changes of one kind make of a function of one line."""
    source = f"def f(a, b, entropy, source):\n    {text}\n"
    edits = [edit for edit in edits_of(View(source)) if edit.operator == operator]
    return {edit.apply(source).splitlines()[1].strip() for edit in edits}


@pytest.mark.parametrize(
    ("text", "operator", "expected"),
    [
        ("return 3", "constant", {"return 4", "return 2"}),
        ("return a(True)", "constant", {"return a(False)"}),
        ("return a < b", "comparison", {"return a <= b", "return a >= b"}),
        ("return a + b", "forgotten", {"return (a)", "return (b)"}),
        ("return a / b", "forgotten", {"return (a)"}),
        ("a += b", "forgotten", {"pass"}),
        ("a.check(b)", "dropped call", {"pass"}),
        ("raise a(1)", "dropped refusal", {"pass"}),
        ("raise a(1)", "constant", set()),
        ("return f(a, b)", "swapped", {"return f(b, a)"}),
        ("return f(a, b)", "left out", {"return f(a)"}),
        ("return f(a, b=1)", "left out", {"return f(a)"}),
        ("return f(a=1, b=2)", "left out", {"return f(b=2)", "return f(a=1)"}),
        ("return a if b else None", "condition", {"return (a)", "return (None)"}),
        ("return a(noise(b))", "removed noise", {"return a((lambda drawn: drawn - drawn)(noise(b)))"}),
    ],
)
def test_what_a_change_makes(text: str, operator: str, expected: set[str]) -> None:
    assert after(text, operator) == expected


def test_bits_that_are_handed_on_become_those_of_a_seed() -> None:
    made = after("return f(a, entropy=source), b(self._entropy)", "shared noise")
    assert len(made) == 2
    assert all(text.count("SeededEntropy(0)") == 1 for text in made)


@pytest.mark.parametrize("name", ["mechanisms/lattice.py", "mechanisms/streams/window.py", "estimators/base.py"])
def test_every_change_of_the_library_is_python_and_another_text(name: str) -> None:
    source = (REPOSITORY / "src" / "dpmatrix" / name).read_text(encoding="utf-8")
    edits = edits_of(View(source))
    assert len(edits) > 20
    tree = ast.dump(ast.parse(source))
    assert all(ast.dump(ast.parse(edit.apply(source))) != tree for edit in edits)


@pytest.fixture
def tool(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the tool on a library of one module and a suite of three items."""
    package, suite = tmp_path / "toy_library", tmp_path / "tests"
    package.mkdir()
    suite.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "noise.py").write_text(NOISE, encoding="utf-8")
    (suite / "test_toy.py").write_text(ITEMS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n", encoding="utf-8")
    (tmp_path / "survivors.toml").write_text("", encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        options = ["--root", str(tmp_path), "--library", "toy_library", "--survivors", str(tmp_path / "survivors.toml")]
        return tools().run([str(REPOSITORY / "audit" / "mutate_sources.py"), *options, *arguments], cwd=tmp_path)

    return run


def test_planted_survivors_are_reported_and_explained(tool, tmp_path: Path) -> None:
    lines, state = str(tmp_path / "lines.json"), str(tmp_path / "fates")
    traced = tool("--trace", lines, "--", "tests")
    assert traced.returncode == 0, traced.stderr
    records = str(tmp_path / "records.json")
    done = tool("--lines", lines, "--state", state, "--table", str(tmp_path / "table.md"), "--json", records, "noise")
    assert done.returncode == 1, done.stderr
    open_ones = {line.split(" (line")[0] for line in done.stdout.splitlines() if line.startswith("toy_library.noise ")}
    survived = {
        "toy_library.noise scale: epsilon <= -> < 0",
        "toy_library.noise idle: 1 -> 2",
        "toy_library.noise idle: value + -> - 1",
        "toy_library.noise idle: value + 1 -> (value)",
        "toy_library.noise idle: value + 1 -> (1)",
    }
    assert open_ones == survived
    fates = json.loads((tmp_path / "fates").read_text(encoding="utf-8").partition("\n")[2])
    assert fates["toy_library.noise total: found += value -> pass"]["node"] == "tests/test_toy.py::test_total"
    assert fates["toy_library.noise total: draw: entropy -> a seed"]["outcome"] in ("assertion", "crash")
    assert fates["toy_library.noise idle: 1 -> 2"]["reason"] == "no item of the suite runs this line"
    assert len(fates) > 20
    table = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert "what `make test` notices" in table
    assert "Every module was judged." in table
    last = [int(cell) for cell in table.splitlines()[-1].strip("| ").split("|")[3:]]
    assert last[0] == len(fates) == sum(last[1:])
    assert last[-2:] == [0, 5]

    reasons = "".join(f'"{name.removeprefix("toy_library.noise ")}" = "planted"\n' for name in survived)
    (tmp_path / "survivors.toml").write_text(f'["toy_library.noise"]\n{reasons}', encoding="utf-8")
    again = tool("--lines", lines, "--state", state, "--table", str(tmp_path / "table.md"), "noise")
    assert again.returncode == 0, again.stdout
    assert "mutants:" not in again.stderr, "every fate was known"
    table = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert table.splitlines()[-1].endswith("| 5 | 0 |")
    open_only = tool("--lines", lines, "--again", records, "--json", records, "noise")
    assert open_only.returncode == 0, open_only.stdout
    assert open_only.stderr.splitlines()[-1] == "mutants: 5 of 5", "what was noticed is not judged again"
    assert len(json.loads(Path(records).read_text(encoding="utf-8"))) == len(fates)
    whole = tool("--lines", lines, "--table", str(tmp_path / "table.md"), "noise")
    assert whole.returncode == 0, whole.stdout
    assert "mutants:" not in whole.stderr, "every module stands in the table"
    assert (tmp_path / "table.md").read_text(encoding="utf-8") == table

    (tmp_path / "toy_library" / "noise.py").write_text(NOISE.replace("2 *", "2.0 *"), encoding="utf-8")
    stale = tool("--lines", lines, "noise")
    assert stale.returncode == 2
    assert "of other texts" in stale.stdout


MADE = """
from functools import cache


def table():
    return [1, 2]


VALUES = table()


def bound(value, least=0):
    return 2 * value - least


class Scale:
    def __init__(self, width):
        self._width = width

    @property
    def width(self):
        return self._width + 1

    @width.setter
    def width(self, value):
        self._width = value + 1

    @cache
    def doubled(self):
        return (lambda value: value + self._width)(self._width)


def counter():
    count = 0

    def more():
        nonlocal count
        count += 2
        return count

    return more


MORE = counter()
"""

ABOUT_MADE = """
import pytest

from toy_library.noise import MORE, VALUES, Scale, bound, counter, table


@pytest.mark.parametrize("least", [bound(1, 3)])
def test_bound(least):
    assert (least, bound(3)) == (-1, 6)


def test_values():
    table()
    assert VALUES == [1, 2]


def test_scale(tmp_path):
    scale = Scale(2)
    assert (scale.width, scale.doubled()) == (3, 4)
    scale.width = 5
    assert scale.width == 7
    assert not list(tmp_path.iterdir())


def test_counter():
    counter()
    assert (MORE(), MORE()) == (2, 4)


@pytest.mark.skip
def test_skipped():
    assert VALUES


@pytest.mark.xfail(strict=True)
def test_not_yet():
    assert bound(5) == 4, counter()
"""


def test_whatever_runs_on_import_is_judged_by_an_import(tool, tmp_path: Path) -> None:
    (tmp_path / "toy_library" / "noise.py").write_text(MADE, encoding="utf-8")
    (tmp_path / "tests" / "test_toy.py").write_text(ABOUT_MADE, encoding="utf-8")
    lines = str(tmp_path / "lines.json")
    assert tool("--trace", lines, "--", "tests").returncode == 0
    done = tool("--lines", lines, "--json", str(tmp_path / "records.json"), "noise")
    assert done.returncode == 0, done.stdout
    records = json.loads((tmp_path / "records.json").read_text(encoding="utf-8"))
    assert {record["key"].partition(":")[0] for record in records} >= {
        "table",
        "bound",
        "Scale.width",
        "Scale.doubled",
        "counter",
        "counter.more",
    }
    assert {record["outcome"] for record in records} <= {"assertion", "crash", "import"}


def test_an_item_that_fails_now_and_then_notices_nothing(tool, tmp_path: Path) -> None:
    """It passed when it was traced, and fails in every later process; another item of its file is quicker."""
    later = """

from pathlib import Path

from toy_library.noise import idle


def test_once():
    assert idle(sum(range(10**6)))
    Path("seen").touch(exist_ok=False)
"""
    (tmp_path / "tests" / "test_toy.py").write_text(ITEMS + later, encoding="utf-8")
    lines = str(tmp_path / "lines.json")
    assert tool("--trace", lines, "--", "tests").returncode == 0
    done = tool("--lines", lines, "noise")
    assert done.returncode == 2
    assert "test_once fails where nothing is changed" in done.stdout + done.stderr


def test_a_suite_that_fails_unchanged_is_no_answer(tool, tmp_path: Path) -> None:
    (tmp_path / "tests" / "test_toy.py").write_text("def test_false():\n    assert False\n", encoding="utf-8")
    done = tool("--trace", str(tmp_path / "lines.json"), "--", "tests")
    assert done.returncode != 0
    assert not (tmp_path / "lines.json").exists()


def test_what_an_item_leaves_open_is_its_failure_also_where_pytest_finds_it_at_the_end(tmp_path: Path) -> None:
    """An error that keeps itself alive keeps an open file alive until the garbage collector comes."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="utf-8")
    (tmp_path / "test_open.py").write_text(
        "import gc\n\n\ndef test_open():\n    gc.disable()\n    found = [open(__file__)]\n    found.append(found)\n",
        encoding="utf-8",
    )
    program = (
        "import sys\nfrom pathlib import Path\nfrom mutation import evidence\n"
        "code, recorder = evidence.run(Path(sys.argv[1]), ['test_open.py::test_open'], first_failure=True)\n"
        "Path(sys.argv[2]).write_text(f'{code} {recorder.failed} {recorder.reason}')\n"
    )
    said = tmp_path / "said"
    command = [sys.executable, "-c", program, str(tmp_path), str(said)]
    subprocess.run(command, check=True, cwd=REPOSITORY / "audit", timeout=120, capture_output=True)
    assert said.read_text(encoding="utf-8").startswith("1 test_open.py::test_open Exception ignored in: <_io.")
