"""Every Python example of the README runs and prints what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def test_examples_run() -> None:
    text = README.read_text(encoding="utf-8")
    example = doctest.DocTestParser().get_doctest(text.replace("```", ""), {}, "README", str(README), 0)
    assert len(example.examples) >= 15
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    report: list[str] = []
    runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_commands_exist() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in ("test", "audit", "lint", "bench", "mutate", "report", "documentation"):
        assert f"make {target}" in README.read_text(encoding="utf-8")
        assert f"\n{target}:" in makefile
