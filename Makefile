# Everything runs from a private environment in .venv, installed from pinned, hashed requirements.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
WORKERS ?= 2

.PHONY: test audit lint bench report mutate snapshot lock clean

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --ignore=tests/benchmarks tests proofs_checks

audit: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) audit

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only --benchmark-columns=median,iqr,rounds

report: $(STAMP)
	$(BIN)/python -m dpmatrix report

mutate: $(STAMP)
	$(BIN)/python audit/mutate.py

snapshot: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) audit --accept-standings

$(STAMP): requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache
