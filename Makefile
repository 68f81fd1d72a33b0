# Two commands: `make demo` shows the proxy at work, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
PIP := $(BIN)/pip --disable-pip-version-check --quiet
LOCK := $(PIP) install --require-hashes --requirement

.PHONY: demo test check bench lock clean

demo: $(VENV)/runtime.done  ## a scripted model server, the proxy, and a tour through both
	@$(BIN)/guard-proxy demo $(ARGS)

test: $(VENV)/dev.done  ## the whole suite, with a real Redis
	$(BIN)/pytest -n auto $(ARGS)

check: $(VENV)/dev.done  ## style, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev.done  ## costs as ratios, side by side in one run
	$(BIN)/python -m tests.bench $(ARGS)

lock: $(VENV)/dev.done  ## pin the newest versions that fit
	$(PIP) install uv
	$(BIN)/uv pip compile pyproject.toml --extra build --upgrade --universal --python-version 3.11 \
		--generate-hashes --no-header --no-emit-index-url --quiet --output-file deploy/requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra dev --constraint deploy/requirements.lock \
		--universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --quiet \
		--output-file deploy/requirements-dev.lock

clean:
	rm -rf $(VENV)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/runtime.done: $(BIN)/python deploy/requirements.lock pyproject.toml
	$(LOCK) deploy/requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.done: $(VENV)/runtime.done deploy/requirements-dev.lock
	$(LOCK) deploy/requirements-dev.lock
	@touch $@
