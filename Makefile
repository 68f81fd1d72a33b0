# Two commands: `make demo` shows the proxy at work, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
PIP := $(BIN)/pip --disable-pip-version-check --quiet
LOCK := $(PIP) install --require-hashes --requirement

NODE_CLIENTS := tests/clients/node/node_modules/.package-lock.json
AXE := tests/browser/node/node_modules/.package-lock.json

# The suite starts hundreds of processes; without bytecode each compiles the whole program first.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test docs check faults tools audit fuzz bench bench-quick soak quality fit lock node-clients llama-index axe screenshots try-image dist pythons integrations open-webui coverage clean help

demo: $(VENV)/runtime.done  ## a scripted model server, the proxy, and a tour through both
	@$(BIN)/guard-proxy demo $(ARGS)

# Without npm the suite runs without the clients for Node and axe-core, and says so at its end.
test: $(VENV)/dev.done $(if $(shell command -v npm 2>/dev/null),node-clients axe)  ## the whole suite, with a real Redis
	$(BIN)/pytest -n auto --dist worksteal $(ARGS)

coverage: $(VENV)/dev.done  ## the suite again, and how many branches of the product it takes
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto --dist worksteal $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

faults: $(VENV)/dev.done tools  ## the faults that take longer: thousands of requests, clusters that fail over
	$(BIN)/pytest -m long -n 2 $(ARGS)

try-image: $(VENV)/dev.done  ## the image and compose.yaml by an engine of their own; deploy/try-image.sh says what it needs
	@deploy/try-image.sh $(BIN)/python

fuzz: $(VENV)/dev.done  ## what reads bytes of others, with thousands of examples for each law
	$(BIN)/pytest tests/fuzz tests/policies/gating/test_gate_laws.py tests/flow/test_one_outcome.py \
		tests/flow/test_paths.py tests/guards/text/test_windows.py --hypothesis-profile=fuzz -n auto --dist worksteal $(ARGS)

check: $(VENV)/dev.done  ## style, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

tools: $(VENV)/tools.done  ## what `make faults` asks about deploy/: hadolint, promtool

audit:  ## the locked dependencies among known vulnerabilities; says so where it cannot look them up
	@deploy/audit.sh $(PYTHON) $(VENV)/audit

dist:  ## wheel and sdist in dist/, installed and tried in an empty environment
	@deploy/dist.sh $(PYTHON) $(VENV)/dist

pythons:  ## guards, policies and the wire on every Python that is supported; says which are missing
	@deploy/pythons.sh $(VENV)/pythons $(ARGS)

integrations: $(VENV)/dev.done  ## beside real LiteLLM and Phoenix, in environments of their own, and in LangChain and LlamaIndex
	@deploy/integrations.sh $(BIN)/python $(VENV)/integrations "litellm phoenix" $(ARGS)

open-webui: $(VENV)/dev.done  ## the filter in a real Open WebUI, which takes 3 GB in an environment of its own
	@deploy/integrations.sh $(BIN)/python $(VENV)/integrations open-webui -k open_webui $(ARGS)

bench: $(VENV)/dev.done  ## costs as ratios, side by side in one run; docs/guides/performance.md shows the result
	$(BIN)/python -m tests.bench run --json docs/bench/bench.json --svg docs/bench/bench.svg $(ARGS)
	$(BIN)/python -m tests.bench report docs/bench/bench.json > docs/bench/report.md
	$(BIN)/python -m tests.reference

bench-quick: $(VENV)/dev.done  ## the same without peers, in under three minutes
	$(BIN)/python -m tests.bench run --quick $(ARGS)

soak: $(VENV)/dev.done  ## ten minutes under a steady load: what grows that should not
	$(BIN)/python -m tests.bench soak $(ARGS)

quality: $(VENV)/dev.done  ## how good the policies are on answers as models write them; docs/quality.md shows it
	$(BIN)/python -m tests.quality --docs docs $(ARGS)
	$(BIN)/python -m tests.reference

fit: $(VENV)/dev.done  ## the weights of doubt, complaints and direct answers, from the sets that were tuned on
	$(BIN)/python -m tests.quality.fitting
	$(BIN)/python -m tests.quality.fitting_direct_answers
	$(BIN)/python -m tests.quality.fitting_complaints

lock: $(VENV)/dev.done  ## pin the newest versions that fit
	$(PIP) install uv
	$(BIN)/uv pip compile pyproject.toml --extra build --upgrade --universal --python-version 3.11 \
		--generate-hashes --no-header --no-emit-index-url --quiet --output-file deploy/requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra dev --constraint deploy/requirements.lock \
		--universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --quiet \
		--output-file deploy/requirements-dev.lock

node-clients: $(NODE_CLIENTS)  ## what the tests need of OpenAI's and Vercel's packages for Node

llama-index: $(VENV)/dev.done $(VENV)/llama-index.done  ## the example for LlamaIndex, with the adapter that it has for OpenAI
	LLAMA_INDEX_PYTHON=$(VENV)/llama-index/bin/python $(BIN)/pytest \
		tests/clients/test_changed_answers.py -k llama_index $(ARGS)

axe: $(AXE)  ## what finds faults of accessibility on the dashboard's pages

# In an environment of its own: the suite and the service need nothing of it.
docs: $(VENV)/docs.done  ## the documentation as a site in build/site; broken links fail
	$(VENV)/docs/bin/mkdocs build --strict $(ARGS)

screenshots: $(VENV)/dev.done  ## the pictures of the dashboard in README and docs
	$(BIN)/python -m tests.browser.pictures docs/screenshots

help:  ## the targets, each with what it is for
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean:  ## take away what make has installed
	rm -rf $(VENV) $(dir $(NODE_CLIENTS)) $(dir $(AXE))

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/runtime.done: $(BIN)/python deploy/requirements.lock pyproject.toml
	$(LOCK) deploy/requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.done: $(VENV)/runtime.done deploy/requirements-dev.lock
	$(LOCK) deploy/requirements-dev.lock
	@touch $@

$(VENV)/docs.done: pyproject.toml
	$(PYTHON) -m venv $(VENV)/docs
	$(VENV)/docs/bin/pip --disable-pip-version-check --quiet install 'mkdocs-material>=9.6'
	@touch $@

# The adapter asks for an older client of OpenAI than the suite has.
$(VENV)/llama-index.done: pyproject.toml
	$(PYTHON) -m venv $(VENV)/llama-index
	$(VENV)/llama-index/bin/pip --disable-pip-version-check --quiet install llama-index-llms-openai-like
	@touch $@

# Programs of others that nothing here depends on, so they are in no lock and in no image.
$(VENV)/tools.done: $(BIN)/python deploy/fetch-tools.sh
	@deploy/fetch-tools.sh $(PYTHON) $(VENV)/tools
	@touch $@

$(NODE_CLIENTS): tests/clients/node/package.json tests/clients/node/package-lock.json
	cd tests/clients/node && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

$(AXE): tests/browser/node/package.json tests/browser/node/package-lock.json
	cd tests/browser/node && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@
