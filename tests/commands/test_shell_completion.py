"""What a shell is told: by the protocol that its completion script speaks, and by the script in the shell itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.commands.completion import claim_ids, document_names
from dpmatrix.commands.noises import Noise
from dpmatrix.commands.pca import Choice
from dpmatrix.experiments.targets import TARGETS
from dpmatrix.spec import documents, load

START = "import sys; sys.argv[0] = 'dpmatrix'; from dpmatrix.__main__ import main; main()"
SHELLS = ("bash", "zsh")


def ask(**variables: str) -> str:
    """Run the program as a completion script does: without arguments, told by variables what to do."""
    done = CliRunner().invoke(app, [], env=variables, prog_name="dpmatrix")
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout


def offered(shell: str, line: str) -> set[str]:
    """Return the words that the completion script of a shell is answered with."""
    if shell == "bash":
        words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
        return set(ask(_DPMATRIX_COMPLETE="complete_bash", **words).split())
    found = ask(_DPMATRIX_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=line)
    # Words in quotes, each with a colon and a line about it where there is one; a quote within is written twice.
    return {match[1] for match in re.finditer(r'"((?:[^"]|"")*)"(?::"(?:[^"]|"")*")?', found)}


COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands}


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_options_and_choices(shell: str) -> None:
    assert offered(shell, "dpmatrix ") == COMMANDS >= {"pca", "claims", "audit"}
    assert offered(shell, "dpmatrix p") == {"profile", "pca"}
    assert offered(shell, "dpmatrix pca --c") >= {"--clip", "--calibration", "--columns", "--cluster"}
    assert offered(shell, "dpmatrix pca --mechanism ") == {choice.value for choice in Choice}
    assert offered(shell, "dpmatrix profile ") == {noise.value for noise in Noise}
    assert offered(shell, "dpmatrix calibrate discrete-") == {"discrete-laplace", "discrete-gaussian"}


@pytest.mark.parametrize("shell", SHELLS)
def test_ids_of_claims_targets_and_documents(shell: str) -> None:
    ids = set(load().claims)
    assert offered(shell, "dpmatrix claims ") == ids | set(documents())
    assert "wishart" in offered(shell, "dpmatrix claims wish")
    for start in ("wishart.theorem-", "near-optimal.", "none."):
        assert offered(shell, f"dpmatrix claims {start}") == {claim for claim in ids if claim.startswith(start)}
    assert offered(shell, "dpmatrix restamp wishart.theorem-4 sliding-window.l") == {
        claim for claim in ids if claim.startswith("sliding-window.l")
    }
    assert offered(shell, "dpmatrix reproduce ") == set(TARGETS)
    assert offered(shell, "dpmatrix findings --document ") == set(documents())


def test_words_come_with_what_they_are() -> None:
    claim = load().claims["wishart.theorem-4"]
    assert dict(claim_ids("wishart"))[claim.id] == claim.verdict.value
    assert dict(document_names("w")) == {"wishart": documents()["wishart"]}
    assert claim_ids("none") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_shown_and_asks_what_is_answered(shell: str) -> None:
    script = ask(_DPMATRIX_COMPLETE=f"source_{shell}")
    assert f"_DPMATRIX_COMPLETE=complete_{shell}" in script
    assert script.split()[-1] == "dpmatrix"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Make a folder that holds ``dpmatrix``, as an installation does."""
    path = tmp_path / "bin" / "dpmatrix"
    path.parent.mkdir()
    path.write_text(f"#!{sys.executable}\n{START}\n", encoding="utf-8")
    path.chmod(0o755)
    return path.parent


def in_shell(shell: str, program: Path, commands: str) -> list[str]:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} here")
    environment = {**os.environ, "PATH": f"{program}{os.pathsep}{os.environ['PATH']}", "HOME": str(program)}
    done = subprocess.run(
        [found, *(["-f"] if shell == "zsh" else ["--norc"]), "-c", commands],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes(program: Path) -> None:
    script = (
        'eval "$(_DPMATRIX_COMPLETE=source_bash dpmatrix)"\n'
        "COMP_WORDS=(dpmatrix claims wishart.theorem-); COMP_CWORD=2\n"
        "complete -p dpmatrix >/dev/null && _dpmatrix_completion dpmatrix\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    expected = sorted(claim for claim in load().claims if claim.startswith("wishart.theorem-"))
    assert sorted(in_shell("bash", program, script)) == expected


def test_zsh_completes(program: Path) -> None:
    # Outside of the line editor there is nothing to complete, so what the script asks zsh to offer is printed instead.
    script = (
        "compdef() { : }\n"
        '_arguments() { print -r -- "$@" }\n'
        'eval "$(_DPMATRIX_COMPLETE=source_zsh dpmatrix)"\n'
        "words=(dpmatrix calibrate discrete-); CURRENT=3\n"
        "_dpmatrix_completion\n"
    )
    found = " ".join(in_shell("zsh", program, script))
    assert "discrete-laplace" in found
    assert "discrete-gaussian" in found
    assert "wishart" not in found


@pytest.mark.parametrize("shell", SHELLS)
def test_installation_writes_the_script_where_the_shell_looks(program: Path, tmp_path: Path, shell: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        [program / "dpmatrix", "--install-completion", shell],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(home), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = [path for path in home.rglob("*") if path.is_file()]
    assert any(f"_DPMATRIX_COMPLETE=complete_{shell}" in path.read_text(encoding="utf-8") for path in written)
    assert (home / f".{shell}rc").is_file()
