"""Change one function where it stands: the files of items are read once for all mutants of a module.

A process holds a module, all that imports it and the items that run its lines. Each mutant has a process forked from
it, in which the code of the changed function is exchanged. That says the same as an import of the changed text, unless
the function ran while all this was imported and collected, or the change is not in the body of a function. Such
mutants are not judged here. Nor are those that no item notices: the changed text is imported for them. An item that
notices has to pass, in such a process, where nothing is changed.
"""

from __future__ import annotations

import ast
import gc
import inspect
import os
import shutil
import sys
import types
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import pytest

from mutation import evidence
from mutation.asking import SECONDS_OF_BASELINE, ended, verdict_of
from mutation.mutants import Mutant
from mutation.pool import forked
from mutation.reach import noting_calls
from mutation.source import View
from mutation.verdicts import Outcome, Verdict

FRAMES = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS
"""What the code of a function has and the code of a class has not."""
LOCALS = ".<locals>"


def outermost(source: str) -> dict[str, tuple[int, int]]:
    """Return where the bodies of functions stand that stand in no other, by their qualified names.

    A name that two functions share, such as those of a property, is left out.
    """
    view = View(source)
    found: dict[str, tuple[int, int]] = {}
    names: Counter[str] = Counter()

    def walk(nodes: Sequence[ast.stmt], prefix: str) -> None:
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                walk(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names[prefix + node.name] += 1
                found[prefix + node.name] = view.start(node.body[0]), view.end(node)
            else:
                walk([each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)], prefix)

    walk(view.tree.body, "")
    return {name: place for name, place in found.items() if names[name] == 1}


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_flags & FRAMES == FRAMES:
                yield constant
            else:
                yield from _codes(constant)


def code_of(source: str, file: str, name: str) -> types.CodeType | None:
    """Return the code of a function that stands in no other, if it has one."""
    found = [code for code in _codes(compile(source, file, "exec", dont_inherit=True)) if code.co_qualname == name]
    return found[0] if len(found) == 1 else None


@attrs.frozen
class Standing:
    """The functions of a module as this process holds them.

    Parameters
    ----------
    file
        From which the module was imported.
    places
        Where their bodies stand in the text, by their qualified names.
    holders
        The functions of each code.
    """

    file: str
    places: Mapping[str, tuple[int, int]]
    holders: Mapping[str, Sequence[types.FunctionType]]

    @classmethod
    def of(cls, source: str, file: str, called: Collection[types.CodeType]) -> Standing:
        """Look at what was imported from a file; a function that was called is left out."""
        ran = {code.co_qualname.partition(LOCALS)[0] for code in called if code.co_filename == file}
        holders: dict[str, list[types.FunctionType]] = {}
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and thing.__code__.co_filename == file:
                holders.setdefault(thing.__code__.co_qualname, []).append(thing)
        places = {name: place for name, place in outermost(source).items() if name in holders and name not in ran}
        return cls(file, places, holders)

    def exchange(self, mutant: Mutant) -> bool:
        """Change the function of a mutant; return whether that could be done."""
        edit = mutant.edit
        around = [name for name, (start, end) in self.places.items() if start <= edit.start and edit.end <= end]
        code = code_of(mutant.source, self.file, around[0]) if around else None
        if code is None or any(one.__code__.co_freevars != code.co_freevars for one in self.holders[around[0]]):
            return False
        for one in self.holders[around[0]]:
            one.__code__ = code
        return True


@attrs.define(eq=False)  # pytest keeps its plugins in sets
class _Loop:
    """A pytest plugin in the place of its loop over all items."""

    judge: Callable[[pytest.Session], None]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do something else with what was collected."""
        self.judge(session)
        return True


def _ask(session: pytest.Session, nodes: Sequence[str], drafts: Path) -> None:
    """Run items in this process, which was forked for it, in the given order up to the first that fails."""
    known = {item.nodeid: item for item in session.items}
    items = [known[node] for node in nodes]
    temporary = drafts / f"{os.getpid()}_items"
    temporary.mkdir()
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(temporary)  # read when an item asks for a folder
    try:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def judge_all(
    root: Path,
    exchange: Callable[[], Path],
    mutants: Sequence[Mutant],
    asked: Callable[[Mutant], Sequence[str]],
    files: Collection[str],
    limit: Callable[[Mutant], float],
    tell: Callable[[int, Verdict | None], None],
    *,
    workers: int,
) -> None:
    """Judge the mutants of one module in processes forked from this one.

    Parameters
    ----------
    root
        The checkout; pytest runs there.
    exchange
        Forgets the module and all that imported it; returns the file from which it is imported next.
    mutants
        Of one module.
    asked
        The items to ask about a mutant, in order; at least one.
    files
        All files that hold such items.
    limit
        Seconds of processor time for a mutant.
    tell
        Told the place of each mutant and its fate: None where an import has to tell.
    workers
        Number of processes at a time.

    Raises
    ------
    NoEvidenceError
        If the items cannot be collected, or one that notices fails where nothing is changed.
    """
    recorder = evidence.Recorder()
    file = exchange()
    [source] = {mutant.module.source for mutant in mutants}
    problems: list[str] = []

    def judge(session: pytest.Session) -> None:
        sys.setprofile(None)
        standing = Standing.of(source, str(file), called)
        known = {item.nodeid for item in session.items}
        gc.collect()
        gc.freeze()
        sound: set[str] = set()

        def noticed(mutant: Mutant) -> Verdict | bool:
            nodes = [*asked(mutant)]
            if not known.issuperset(nodes) or not standing.exchange(mutant):
                return False
            _ask(session, nodes, file.parent)
            return verdict_of(mutant, recorder) if session.testsfailed else False

        def failing(node: str) -> str:
            _ask(session, [node], file.parent)
            return recorder.reason if session.testsfailed else ""

        def check(node: str) -> None:
            if node not in sound:
                [(_, problem)] = forked(failing, [node], lambda _: SECONDS_OF_BASELINE, workers=1)
                if problem != "":
                    problems.append(f"{node} fails where nothing is changed: {problem}")
                    raise session.Interrupted(problems[0])
                sound.add(node)

        for place, answer in forked(noticed, mutants, limit, workers=workers, fault=ended):
            if answer is None:
                tell(place, Verdict(mutants[place], Outcome.TIMEOUT))
            elif answer is False:
                tell(place, None)
            else:
                if answer.node:
                    check(answer.node)
                tell(place, answer)

    with noting_calls() as called:
        code, printed = evidence.with_items(root, files, [recorder, _Loop(judge)])
    if code != pytest.ExitCode.OK:
        said = problems or [f"the items about {mutants[0].module.name} cannot be collected: {printed}"]
        raise evidence.NoEvidenceError(said[0])
