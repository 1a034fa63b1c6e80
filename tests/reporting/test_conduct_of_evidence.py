"""Files of evidence reach neither for the judge nor for the interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpmatrix import tracing
from dpmatrix.reporting.conduct import BINDS, MODULES, NAMES, misconduct

ROOT = Path(__file__).resolve().parents[2]

REACHES = {
    "import gc\n": "import gc",
    "from dpmatrix.reporting import session\n": "import dpmatrix.reporting.session",
    "from dpmatrix.claims.observation import tell\n": "import dpmatrix.claims.observation.tell",
    "import sys\nsys._getframe()\n": "name _getframe",
    "object.__setattr__(1, '_margin', 2)\n": "name __setattr__",
    "getattr(1, '__code__')\n": "name __code__",
    "def pytest_runtest_call(item): ...\n": "define pytest_runtest_call",
    "patch('dpmatrix.spec.wishart.x')\n": "reach dpmatrix.spec.wishart.x by its path",
    "from dpmatrix.tracing import trace\n": "import dpmatrix.tracing.trace",
    "from dpmatrix.tracing.algebra import to_sympy\n": "import dpmatrix.tracing.algebra.to_sympy",
    "import dpmatrix.tracing as x\n": "import dpmatrix.tracing",
    "import dpmatrix\ndpmatrix.tracing.trace(1)\n": "name tracing",
    "from dpmatrix import tracing as x\n": "import dpmatrix.tracing",
    "def test(request):\n    request.node.stash.clear()\n": "name stash",
    "import os\nos._exit(0)\n": "name _exit",
    "getattr(1, '__co' + 'de__')\n": "ask for an attribute whose name it makes",
    "getattr(1, ''.join(('__co', 'de__')))\n": "ask for an attribute whose name it makes",
}


@pytest.mark.parametrize("source", REACHES)
@pytest.mark.parametrize("place", ["the file", "a helper", "a conftest"])
def test_what_evidence_may_not_do_is_told_with_its_line(tmp_path, source, place) -> None:
    """In the file itself, in a module of the checkout that it imports, and in a conftest above it."""
    folder = tmp_path / "proofs_checks" / "toy"
    folder.mkdir(parents=True)
    where = {"the file": "toy/test_it.py", "a helper": "helper.py", "a conftest": "conftest.py"}[place]
    (folder / "test_it.py").write_text("from proofs_checks.helper import x\n")
    (folder.parent / where).write_text(source)
    lines = len(source.splitlines())
    found = misconduct(tmp_path, (), ["proofs_checks/toy/test_it.py"])
    assert f"proofs_checks/{where}:{lines}: evidence does not {REACHES[source]}" in found


def test_what_evidence_does_not_import_is_not_looked_at(tmp_path) -> None:
    (tmp_path / "proofs_checks").mkdir()
    (tmp_path / "proofs_checks/test_it.py").write_text("import json\nx = 'a word of dpmatrix.spec in a sentence'\n")
    (tmp_path / "proofs_checks/tool.py").write_text("import gc\n")
    assert misconduct(tmp_path, (), ["proofs_checks/test_it.py"]) == []


def test_evidence_binds_formulas_to_statements(tmp_path) -> None:
    (tmp_path / "proofs_checks").mkdir()
    (tmp_path / "proofs_checks/test_it.py").write_text("from dpmatrix.tracing import bind_expression\n")
    assert misconduct(tmp_path, (), ["proofs_checks/test_it.py"]) == []
    assert all(hasattr(tracing, name.rpartition(".")[2]) for name in BINDS)


def test_the_lists_name_what_exists() -> None:
    for name in MODULES:
        if name.startswith("dpmatrix"):
            assert (ROOT / "src" / Path(*name.split("."))).with_suffix(".py").exists(), name
    assert {"stash", "_margin"} <= NAMES
