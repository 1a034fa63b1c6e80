"""Every draft of a report reproduces what it says, where its library is installed."""

from __future__ import annotations

import doctest

import pytest

from audit.peers.report_drafts import DRAFTS, Draft, write_drafts


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("draft", DRAFTS, ids=lambda draft: draft.name)
def test_a_reproduction_prints_what_the_draft_says(draft: Draft, capsys) -> None:
    """One has chance in it: 20,000 outputs of which one in twenty is odd, and fewer than 500 below 1e-12."""
    pytest.importorskip(draft.package)
    found = doctest.DocTestParser().get_doctest(draft.reproduction, {}, draft.name, None, None)
    assert found.examples
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(found, out=said.append)
    assert result.failed == 0, "".join(said)


def test_drafts_are_written_and_of_one_page(tmp_path) -> None:
    written = write_drafts(tmp_path / "reports")
    assert [path.stem for path in written] == [draft.name for draft in DRAFTS]
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert len(text) < 3500
        assert "## Known before" in text
