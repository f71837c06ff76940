# `make demo` shows the main job; `make test` passes the tests. Both install what they need.

export UV_PYTHON_DOWNLOADS = never
export UV_COMPILE_BYTECODE = 1

BOOTSTRAP := .bootstrap
UV := $(or $(shell command -v uv 2>/dev/null),$(BOOTSTRAP)/bin/uv)
RUN := $(UV) run --no-sync
# what a user installs, and what a developer needs on top
SYNC := $(UV) sync --locked --quiet
NPM := npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
STAMP := .venv/.pckc-synced
# what none of the tests is in need not be read, by each worker, to find that out
READ := --ignore-glob='*/benchmarks/*' --ignore=tests/conformance

.PHONY: help install demo test fuzz check bench conformance faults new-adapter size clean

help:
	@echo "make demo         index this repository and compile a proven context from it"
	@echo "make test         all tests; the properties on the same examples each time"
	@echo "make fuzz         the properties alone, on fresh random examples"
	@echo "make check        style, types, import contracts, isolated imports"
	@echo "make bench        benchmarks beside their limits and baselines"
	@echo "make faults       kill servers and workers under load, ten times each, and print the table"
	@echo "make conformance  the official MCP suites, the inspector and dsh on the server (needs npm)"
	@echo "make new-adapter SLOT=vector NAME=faiss   write the skeleton of an adapter package"
	@echo "make size         size of the base install"

$(BOOTSTRAP)/bin/uv:
	@echo "uv is missing: installing it with pip into $(BOOTSTRAP)/"
	@python3 -m pip install --quiet --target $(BOOTSTRAP) uv

$(STAMP): pyproject.toml uv.lock $(wildcard packages/*/pyproject.toml) | $(filter $(BOOTSTRAP)/bin/uv,$(UV))
	$(SYNC)
	@$(RUN) python -m compileall -q packages/*/src
	@touch $(STAMP)

install: $(STAMP)

demo: install
	@sh scripts/demo.sh

test: install
	$(RUN) pytest -n 2 --dist worksteal --hypothesis-profile=ci -m "not bench and not conformance" $(READ) packages tests

fuzz: install
	$(RUN) pytest -n 2 -m "hypothesis and not bench and not conformance" $(READ) packages tests

check: install
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) lint-imports
	UV="$(UV)" sh scripts/isolated_imports.sh

bench: install
	$(RUN) pytest -m bench -s -p no:xdist --benchmark-disable-gc --benchmark-columns=median,min,max,rounds packages tests

faults: install
	PCKC_FAULTS=$(or $(FAULTS),10) $(RUN) pytest -s -p no:xdist tests/e2e/test_service_faults.py

conformance: install
	$(NPM) --prefix tests/conformance
	$(NPM) --legacy-peer-deps --prefix tests/conformance/dsh
	$(RUN) pytest -m conformance -s -p no:xdist tests/conformance

new-adapter: install
	$(RUN) pckc new-adapter $(SLOT) $(NAME)
	@$(RUN) ruff format -q packages/pckc-adapters-$(NAME)

size: install
	UV="$(UV)" sh scripts/base_size.sh

clean:
	rm -rf .venv .bootstrap .demo
