# Everything starts from here: `make help`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LOCK   := requirements-dev.lock
STAMP  := $(VENV)/.installed
JOBS   ?= 2
PIP    := $(BIN)/python -m pip --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help install demo lint test test-fast bench lock upgrade clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

install: $(STAMP) ## make .venv and install candling with its development tools (quick when nothing changed)

# The lock pins everything, the build backend included, so nothing newer than it can break us.
$(STAMP): pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "candling needs Python 3.11 or newer, and '$(PYTHON)' is not." >&2; \
	  echo "Say which one to use, for example: make install PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
	  echo "The venv module is missing. On Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "installing into $(VENV) (a minute or two the first time)"
	@$(PIP) install --quiet --requirement $(LOCK)
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP) ## show the main job on a made-up hospital table
	@$(BIN)/candling demo

lint: $(STAMP) ## style, types and the one-way flow of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

test: lint ## lint and all tests
	$(BIN)/pytest -n $(JOBS)

test-fast: $(STAMP) ## the tests that take less than a few seconds
	$(BIN)/pytest -n $(JOBS) -m "not slow"

bench: $(STAMP) ## our speed beside plain SQL, in one run
	$(BIN)/python -m benchmarks

lock: $(STAMP) ## write the lock again, moving as few versions as pyproject.toml allows
	$(BIN)/pip-compile --quiet $(PIP_COMPILE_FLAGS) --extra dev --strip-extras --allow-unsafe --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	  --output-file $(LOCK) pyproject.toml

upgrade: $(STAMP) ## write the lock again with the newest versions, then run `make test`
	$(MAKE) lock PIP_COMPILE_FLAGS=--upgrade

clean: ## remove .venv and everything that tools left behind
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
