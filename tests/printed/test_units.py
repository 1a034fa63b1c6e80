"""A document is taken apart into sentences, formulas, lines and rows, each with a key of its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.printed.units import units

TEXT = """# 1 Noise

Let x be a number. By Theorem 4. of Smith et al. (2001), i.e. the first, it is at most $a. B$ here. So it is.

$$x \\le 1 \\tag{1}$$

1. Draw z.
2. Return x + z.

| a | b |
| 1 | 2 |

So it is.
"""


def texts(text: str) -> list[str]:
    return [unit.text for unit in units(text)]


def test_sentences_end_where_a_reader_sees_the_end() -> None:
    assert texts(TEXT) == [
        "# 1 Noise",
        "Let x be a number.",
        "By Theorem 4. of Smith et al. (2001), i.e. the first, it is at most $a. B$ here.",
        "So it is.",
        "$$x \\le 1 \\tag{1}$$",
        "1. Draw z.",
        "2. Return x + z.",
        "| a | b |",
        "| 1 | 2 |",
        "So it is.",
    ]


def test_equal_words_have_keys_of_their_own() -> None:
    same = [unit.key for unit in units(TEXT) if unit.text == "So it is."]
    assert [key.partition("-")[2] for key in same] == ["1", "2"]
    assert len({key.partition("-")[0] for key in same}) == 1
    assert len({unit.key for unit in units(TEXT)}) == len(units(TEXT))


def test_spaces_and_line_ends_change_no_key() -> None:
    keys = [unit.key for unit in units(TEXT)]
    assert [unit.key for unit in units(TEXT.replace("\n", "\r\n").replace(" number", "   number"))] == keys
    assert [unit.key for unit in units(TEXT.replace("at most", "at least"))] != keys


@given(st.text(alphabet="aB. \n|$#1?!", max_size=200))
def test_nothing_is_lost_and_nothing_added(text: str) -> None:
    assert "".join("".join(texts(text)).split()) == "".join(text.split())
