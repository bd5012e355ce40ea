# Everything sets itself up: .venv is made on first use and again when pyproject.toml changes.
# PYTHON=python3.13 chooses the interpreter, ARGS="..." goes to pytest, the study or the benchmarks.

.PHONY: help study test check format bench clean setup-run setup-dev
.DEFAULT_GOAL := help

help: ## what there is
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

study: setup-run ## run the quickstart study and write its report to report/
	@.venv/bin/ringback study run examples/quickstart.toml --out report $(ARGS)

# Half of the time a test waits for a process or a browser of its own, so there are two for a core.
test: setup-dev ## run the tests
	@.venv/bin/python -m pytest -n $$((2 * $$(getconf _NPROCESSORS_ONLN))) --dist worksteal $(ARGS)

check: setup-dev ## format, lint and types
	@.venv/bin/ruff format --check --quiet . || { .venv/bin/ruff format --diff --quiet .; exit 1; }
	@.venv/bin/ruff check --quiet .
	@.venv/bin/pyright

format: setup-dev ## put the format right, and what the linter can mend
	@.venv/bin/ruff check --quiet --fix . || true
	@.venv/bin/ruff format --quiet .

bench: setup-dev ## run the benchmarks and print one table
	@.venv/bin/python -m benchmarks $(ARGS)

clean: ## remove .venv, caches and builds; recordings (.ringback/) and report/ stay
	@rm -rf .venv build dist .ruff_cache .pytest_cache .hypothesis .coverage
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@rm -rf src/*.egg-info

setup-run:
	@scripts/setup run

setup-dev:
	@scripts/setup dev
