"""Bytes of a file of lines: the first line, pieces of whole lines, and lines one by one, each within its limit."""

from __future__ import annotations

import io
import locale

import pytest

from dpmatrix.errors import RecordFileError
from dpmatrix.files import streams
from dpmatrix.files.streams import first_line, lines_of, pieces_of, pushed_back


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"1,2\n3,4\n", "1,2\n"),
        (b"1,2\r\n3,4\n", "1,2\r\n"),
        (b"1,2\r3,4\n", "1,2\r"),
        (b"1,2", "1,2"),
        (b"", ""),
        (b"\xef\xbb\xbf1,2\n3", "1,2\n"),
        (b"1,\xff\n3", "1,\udcff\n"),
        ("é,2\n3".encode(), "é,2\n"),
    ],
)
def test_the_first_line_and_what_follows_are_the_whole_file(content: bytes, line: str) -> None:
    found, rest = first_line(io.BytesIO(content), "name")
    assert found == line
    assert found.encode("utf-8", "surrogateescape") + rest.read() == content.removeprefix(b"\xef\xbb\xbf")


def test_a_first_line_of_the_longest_length_is_refused_and_a_shorter_one_is_read() -> None:
    text, rest = first_line(io.BytesIO(b"1" * ((1 << 24) - 1)), "name")
    assert (len(text), rest.read()) == ((1 << 24) - 1, b"")
    with pytest.raises(RecordFileError, match="the line has 16777216 characters or more") as caught:
        first_line(io.BytesIO(b"1" * (1 << 24)), "name")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("name", 1, None)


def test_a_first_line_that_ends_at_the_limit_is_read(monkeypatch) -> None:
    monkeypatch.setattr(streams, "LONGEST_LINE", 8)
    for content, line in ((b"1234567\n9\n", "1234567\n"), (b"123\r5678901\n", "123\r")):
        found, rest = first_line(io.BytesIO(content), "name")
        assert (found, rest.read()) == (line, content[len(line) :])


def test_pieces_have_four_megabytes_and_the_rest_of_their_last_line() -> None:
    assert [len(piece) for piece in pieces_of(io.BytesIO(b"\n" * (9 << 20)))] == [4 << 20, 4 << 20, 1 << 20]


def test_pieces_hold_whole_lines(monkeypatch) -> None:
    monkeypatch.setattr(streams, "PIECE_BYTES", 4)
    assert list(pieces_of(io.BytesIO(b"1\n2\n3456\n7\n8"))) == [b"1\n2\n", b"3456\n", b"7\n8"]


def test_lines_are_numbered_cut_at_every_kind_of_end_and_closed() -> None:
    handle = io.BytesIO(b"1\r2\r\n3\n4")
    assert list(lines_of(handle, "name", 7)) == ["1\r", "2\r\n", "3\n", "4"]
    assert handle.closed


def test_the_line_that_is_too_long_is_named_by_its_number(monkeypatch) -> None:
    monkeypatch.setattr(streams, "LONGEST_LINE", 4)
    lines = lines_of(io.BytesIO(b"1\n23\n456\n"), "name", 7)
    assert [next(lines), next(lines)] == ["1\n", "23\n"]
    with pytest.raises(RecordFileError, match="the line has 4 characters or more") as caught:
        next(lines)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("name", 9, None)


def test_characters_do_not_depend_on_the_locale() -> None:
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        assert list(lines_of(io.BytesIO("1,é\n2,\udcff\n".encode("utf-8", "surrogateescape")), "name", 1)) == [
            "1,é\n",
            "2,\udcff\n",
        ]
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


class _Slow(io.RawIOBase):
    """A source that has four bytes now, and nothing more for as long as it is asked."""

    asked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        self.asked += 1
        assert self.asked == 1, "it was asked for more than it has now"
        buffer[:4] = b"1,2\n"
        return 4


def test_what_a_pipe_has_is_given_out_without_waiting_for_more() -> None:
    source = streams.PushedBack(b"0\n", io.BufferedReader(_Slow()))
    buffer = bytearray(100)
    assert (source.readinto(buffer), bytes(buffer[:2])) == (2, b"0\n")
    assert (source.readinto(buffer), bytes(buffer[:4])) == (4, b"1,2\n")


def test_a_stream_without_a_buffer_can_follow(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"3,4\n")
    with path.open("rb", buffering=0) as handle:
        assert pushed_back(b"1,2\n", handle).read() == b"1,2\n3,4\n"
        assert not handle.closed
