# One command checks everything: `make test`. `make help` lists the rest.
# On a fresh machine with Python 3.11 or newer and git it installs what it needs first.

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
USABLE := $(VENV)/.usable

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types imports format install tools clients long page screenshots mutants bench chaos clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | while IFS=$$'\t' read -r name text; do printf '  %-11s %s\n' "$$name" "$$text"; done

demo: $(USABLE) ## one sentence to finished work in a minute: no key (DEMO="--keep DIR" keeps it)
	@$(BIN)/toryo demo $(DEMO)

test: install tools clients lint types imports ## everything: style, types, import contracts, all tests
	@.ci/tests $(BIN)/python

long: install tools clients ## the tests that take minutes: crash campaign, full disks, kills, fuzzing; CI runs them too
	@.ci/tests $(BIN)/python long

check: install lint types imports ## the fast part: style, types, contracts, pure tests
	$(BIN)/python -m pytest -q tests/domain tests/reconciler tests/architecture

lint: install ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install ## mypy, strict on src/
	$(BIN)/mypy

imports: install ## import-linter: who may import whom
	$(BIN)/lint-imports

format: install ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

install: $(READY) ## virtual environment with the pinned packages; bin/toryo runs it

# Without .pyc files a command starts two to three times slower, hence compileall.
$(READY): requirements.lock pyproject.toml
	PYTHON="$(PYTHON)" .ci/environment $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	$(BIN)/python -m compileall -q src
	@touch $(USABLE) $(READY)

# What Toryo itself needs, without the tools that check it: a first look should not wait for those.
$(USABLE): requirements.lock pyproject.toml
	@echo "installing what Toryo needs into $(VENV)"
	@PYTHON="$(PYTHON)" .ci/environment $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock -e .
	@$(BIN)/python -m compileall -q src
	@touch $(USABLE)

tools: ## tmux, Chromium and the PostgreSQL server programs, where they are missing
	@.ci/tools

clients: ## the pinned agent CLIs, from npm, into a cache outside the repository
	@.ci/clients > /dev/null

page: install ## build the page from web/ into the package; needs Node 20.19 or newer, users need none
	cd web && npm ci --no-audit --no-fund
	cd web && npm run types && npm run build

screenshots: install tools ## the pictures of docs/howto/web.md, of the page as it is now
	cd tests/web && PYTHONPATH=..:.:../../src ../../$(BIN)/python screenshots.py ../../docs/howto/images

mutants: install ## breaks the code on purpose, in a copy: tests must notice; CI runs it too
	@.ci/mutants $(BIN)/python

bench: install ## the figures, as ratios to floors measured in the same run
	$(BIN)/python bench/run.py

chaos: install ## random kills, seeded: SEED=7 repeats a choice, MINUTES=60 is for an hour
	$(BIN)/python -m chaos --minutes $(or $(MINUTES),5) $(if $(SEED),--seed $(SEED))

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
