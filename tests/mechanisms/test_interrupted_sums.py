"""An interrupt during the addition of a block leaves the old sum or the new one, and nothing in between."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.mechanisms import LatticeGram, exact_products
from dpmatrix.mechanisms.exact_products import BLOCK_ROWS


def test_interrupt_between_the_blocks_of_one_addition_leaves_the_old_sum(monkeypatch):
    gram, original, calls = LatticeGram(2, 20), exact_products.block_product, []
    gram.add([[0.5, 0.5]])
    before = gram.matrix().tolist()

    def interrupted(block, lowest):
        calls.append(len(block))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(block, lowest)

    monkeypatch.setattr(exact_products, "block_product", interrupted)
    block = np.full((3 * BLOCK_ROWS, 2), 0.25)
    with pytest.raises(KeyboardInterrupt):
        gram.add(block)
    assert calls == [BLOCK_ROWS] * 3
    assert (gram.count, gram.matrix().tolist()) == (1, before)
    monkeypatch.undo()
    gram.add(block)
    assert gram.matrix()[0, 0] == 4**19 + 3 * BLOCK_ROWS * 4**18


def test_an_interrupt_at_any_instruction_adds_the_block_or_leaves_it():
    """Interrupt after every executed bytecode of our own code in turn, until an addition runs to its end."""
    package = str(Path(exact_products.__file__).parent)
    old, new = 4**19, 4**19 + 4**18
    states, instruction = set(), 0
    while True:
        gram, left = LatticeGram(1, 20), [instruction]
        gram.add([[0.5]])

        def trace(frame, event, _argument, left=left):
            if not frame.f_code.co_filename.startswith(package):
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                left[0] -= 1
                if left[0] < 0:
                    raise KeyboardInterrupt
            return trace

        previous = sys.gettrace()
        sys.settrace(trace)
        try:
            gram.add([[0.25]])
            finished = True
        except KeyboardInterrupt:
            finished = False
        finally:
            sys.settrace(previous)
        states.add((gram.count, int(gram.matrix()[0, 0])))
        if finished:
            break
        instruction += 1
    assert instruction > 100
    assert states == {(1, old), (2, new)}


def test_control_the_search_sees_a_sum_that_is_changed_in_two_steps():
    class InTwoSteps:
        def __init__(self):
            self.count, self.total = 1, 1

        def add(self):
            self.count += 1
            self.total += 1

    states = set()
    for instruction in range(100):
        counter, left = InTwoSteps(), [instruction]

        def trace(frame, event, _argument, left=left):
            frame.f_trace_opcodes = True
            if event == "opcode":
                left[0] -= 1
                if left[0] < 0:
                    raise KeyboardInterrupt
            return trace

        previous = sys.gettrace()
        sys.settrace(trace)
        try:
            counter.add()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(previous)
        states.add((counter.count, counter.total))
    assert (2, 1) in states
