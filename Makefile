# Everything runs in .venv; set VENV to keep it elsewhere, PYTHON to choose the interpreter that makes it.
PYTHON ?= python3.11
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup assets demo test smoke lint format types imports check clean

help:  ## Show this list.
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The variable reaches the build environment too, which pip's own --constraint does not.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

setup: $(STAMP)  ## Make the virtual environment with the pinned versions.

assets: $(STAMP)  ## Fetch the encoder, the data set and the lexicon into the cache.
	$(BIN)/sharprecl assets minilm r52 wordnet

demo: assets  ## Train on a long-tailed sample of R52 and judge it (minutes on 2 cores with bf16).
	$(BIN)/sharprecl demo --output runs/demo

test: assets  ## Run the tests but for make smoke; fetches a small language model too.
	$(BIN)/sharprecl assets smollm2
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

smoke: assets  ## Run every plan of the experiments at its smallest, and check tables, figures and page.
	$(BIN)/sharprecl assets smollm2
	$(BIN)/python -m pytest -m smoke tests/experiments/test_smoke_scale.py

lint: $(STAMP)  ## Check style.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(STAMP)  ## Mend style.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(STAMP)  ## Check types, strictly.
	$(BIN)/mypy

imports: $(STAMP)  ## Check that imports point one way.
	$(BIN)/lint-imports

check: lint types imports test smoke  ## All of the above.

clean:  ## Remove the virtual environment and the demo's run; other runs are yours.
	rm -rf $(VENV) runs/demo
