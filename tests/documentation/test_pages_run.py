"""Every code block of the documentation runs and prints what it says."""

from __future__ import annotations

import doctest
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.documentation import Block, Page, blocks, pages
from dpmatrix.printed.copies import VARIABLE

SESSION = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PROGRAM = ["python", "-m", "dpmatrix"]


def run_session(block: Block, names: dict[str, object], where: str) -> list[str]:
    """Run a doctest session in a namespace that the sessions of a page share; return what went wrong."""
    example = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
    if not example.examples:
        return [f"{where}, line {block.line}: a session without an example"]
    runner, report = doctest.DocTestRunner(optionflags=SESSION), []
    runner.run(example, out=report.append, clear_globs=False)
    names.update(example.globs)
    return report if runner.failures else []


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Pairs of a command and the output that is printed after it."""
    for piece in f"\n{block.text}".split("\n$ ")[1:]:
        command, _, output = piece.partition("\n")
        yield command, output


def run_commands(block: Block, where: str) -> list[str]:
    """Run the commands of a block one after the other; return what went wrong."""
    wrong, code = [], None
    if not block.text.startswith("$ "):
        wrong.append(f"{where}, line {block.line}: output without a command")
    for command, expected in commands(block):
        words = shlex.split(command)
        if words[:3] == PROGRAM:
            done = CliRunner(env={VARIABLE: None}).invoke(app, words[3:])  # as for a reader without the documents
            printed, code = done.stdout, done.exit_code
            if code not in (0, 1) or (done.exception is not None and not isinstance(done.exception, SystemExit)):
                wrong.append(f"{where}: {command} ended with {code}: {done.output}")
        elif words == ["echo", "$?"]:
            printed = f"{code}\n"
        else:
            wrong.append(f"{where}: {command} is none of the commands that can be checked")
            continue
        if not doctest.OutputChecker().check_output(expected, printed, OUTPUT):
            wrong.append(f"{where}: {command} printed\n{printed}\nand not\n{expected}")
    return wrong


def run_page(page: Page) -> list[str]:
    """Run all blocks of a page, in the current directory; return what went wrong."""
    names: dict[str, object] = {"__name__": page.name}
    wrong: list[str] = []
    for block in blocks(page):
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
            compile(block.text, block.file, "exec")
        elif block.language == "python":
            wrong += run_session(block, names, page.name)
        elif block.language == "console":
            wrong += run_commands(block, page.name)
        else:
            wrong.append(f"{page.name}, line {block.line}: a block that nobody runs ({block.language!r})")
    return wrong


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_block_runs(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert blocks(page), f"{page.name} shows nothing that runs"
    monkeypatch.chdir(tmp_path)
    assert not run_page(page)


@pytest.mark.parametrize(
    "text",
    [
        "```python\n>>> 1 + 1\n3\n```",
        "```python\nnothing_to_run = 1\n```",
        "```\n$ make audit\n```",
        "```console\n$ rm -r build\n```",
        "```console\n$ python -m dpmatrix claims nobody.theorem-1\n```",
        "```console\n$ python -m dpmatrix findings --document wishart --json\n[]\n```",
        "```python\n>>> x = 1\n```\n\n```python\n>>> y\n1\n```",
        "    indented code\n",
    ],
)
def test_a_block_that_lies_is_noticed(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page(Page("page", f"# Page\n\n{text}\n"))


def test_sessions_of_a_page_share_their_names() -> None:
    assert not run_page(Page("page", "# Page\n\n```python\n>>> x = 1\n```\n\n```python\n>>> x\n1\n```\n"))
