"""The files of the proofs: their sentences, what each requires, and the order of dependence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs

FOLDER = Path("proofs_checks/kernel")
"""Where the proofs stand in a checkout."""

CERTIFICATE = "certificate.json"
NO_DATE = "no date"
LIBRARY = "DPMatrix"
"""The name under which Rocq knows the folder of the proofs."""

FOLDERS = ("floats", "generated", "laws", "margins", "matrices", "samplers")
_TOKEN = re.compile(r'\(\*|\*\)|"')
_REQUIRED = re.compile(r"^(?:From\s+(?P<origin>[\w.]+)\s+)?Require\s+(?:Import\s+|Export\s+)?(?P<names>.*)$", re.DOTALL)


class KernelError(ValueError):
    """Files of proofs, or tables of theorems, that cannot be read; the text says why."""


def recorded(folder: Path) -> dict[str, Any]:
    """Return the certificate as it stands beside the proofs; where there is none, one of no date.

    Raises
    ------
    KernelError
        If it is no record with a date.
    """
    path = folder / CERTIFICATE
    if not path.is_file():
        return {"date": NO_DATE, "rocq": "", "packages": [], "theorems": {}}
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {**record, "date": str(record["date"])}
    except (ValueError, KeyError, TypeError) as error:
        raise KernelError(f"{CERTIFICATE} cannot be read: {error}") from error


def without_comments(text: str) -> str:
    """Leave out comments, and what stands in quotes, so that no word of them is taken for one of a proof."""
    kept: list[str] = []
    depth = place = 0
    quoted = False
    for token in _TOKEN.finditer(text):
        if not depth and not quoted:
            kept.append(text[place : token.start()])
        if token[0] == '"':  # Rocq reads quotes inside comments too
            quoted = not quoted
            kept.append(' "" ' if not depth and not quoted else "")
        elif not quoted:
            depth += 1 if token[0] == "(*" else -1
            kept.append(" ")
        place = token.end()
    return "".join(kept) + (text[place:] if not depth and not quoted else "")


def sentences(text: str) -> list[str]:
    """Return the sentences of a file, without comments, each in one line without its period."""
    plain = without_comments(text)
    return [" ".join(one.split()) for one in re.split(r"\.(?=\s|$)", plain) if one.strip()]


@attrs.frozen(slots=False)
class Sources:
    """The files of the proofs, by their path below the folder.

    Parameters
    ----------
    texts
        The text of each file.
    """

    texts: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path) -> Sources:
        """Read every file of the proofs in a folder."""
        paths = [path for name in FOLDERS for path in (folder / name).rglob("*.v")]
        return cls({path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)})

    def required(self, file: str) -> frozenset[str]:
        """Return the own files that a file requires itself.

        Raises
        ------
        KernelError
            If a name is of two files.
        """
        return self._required[file]

    @cached_property
    def _required(self) -> Mapping[str, frozenset[str]]:
        return {file: frozenset(self._of(file)) for file in self.texts}

    def _of(self, file: str) -> Iterator[str]:
        for sentence in sentences(self.texts[file]):
            match = _REQUIRED.match(sentence)
            if match is None:
                continue
            for name in match["names"].split():
                found = [other for other in self.texts if other != file and _is_called(other, match["origin"], name)]
                if len(found) > 1:
                    raise KernelError(f"{file} requires {name}, which is {' or '.join(found)}")
                yield from found

    def closure(self, file: str) -> tuple[str, ...]:
        """Return a file and all own files that it depends on, each after those that it requires.

        Raises
        ------
        KernelError
            If files require each other in a circle.
        """
        done: dict[str, None] = {}

        def visit(name: str, way: tuple[str, ...]) -> None:
            if name in way:
                raise KernelError(f"files require each other in a circle: {' -> '.join((*way, name))}")
            if name not in done:
                for other in sorted(self.required(name)):
                    visit(other, (*way, name))
                done[name] = None

        visit(file, ())
        return tuple(done)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All files, each after those that it requires."""
        return tuple(dict.fromkeys(name for file in sorted(self.texts) for name in self.closure(file)))

    def digest(self, file: str) -> str:
        """Return the hash of a file and of every own file that it depends on."""
        found = sha256()
        for name in sorted(self.closure(file)):
            found.update(f"{name}\n{len(self.texts[name])}\n{self.texts[name]}".encode())
        return found.hexdigest()


def module_of(file: str) -> str:
    """Return the name of a file's module: that of ``laws/gauss.v`` is ``DPMatrix.laws.gauss``."""
    return f"{LIBRARY}.{file.removesuffix('.v').replace('/', '.')}"


def _is_called(file: str, origin: str | None, name: str) -> bool:
    """Whether ``From origin Require name`` means a file."""
    module = module_of(file)
    if origin is None:
        return module == name or module.endswith(f".{name}")
    inside = origin == LIBRARY or origin.startswith(f"{LIBRARY}.")
    return inside and module.startswith(f"{origin}.") and f".{module}".endswith(f".{name}")
