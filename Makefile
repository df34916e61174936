# Two commands matter: `make run` and `make test`.
SHELL := /bin/bash
PYTHON := .venv/bin/python
.DEFAULT_GOAL := help
# Programs are started hundreds of times; without bytecode each one compiles every module anew.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup run stop test lint check evals format update-tests docs bench faults simulink-faults repairs alarms drafts eval bench-peers fuzz audit sbom lock clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: ## install what is missing: system packages, .venv, Node, n8n
	@scripts/setup.sh

run: setup ## start n8n and the sidecar, generate a workflow; DETACH=1 returns
	@exec $(PYTHON) -m scripts.run

stop: ## stop the servers that `make run` started
	@if [ -x $(PYTHON) ]; then $(PYTHON) -m scripts.stop; fi

test: setup ## run every suite, on a real n8n; SUITE="unit api" runs only those
	@exec $(PYTHON) -m scripts.test $(SUITE)

lint: setup ## ruff, mypy, import contracts
	@exec $(PYTHON) -m scripts.test lint

check: setup ## lint, the growth of every regular expression, unit and golden tests
	@exec $(PYTHON) -m scripts.test lint unit unit-n8n unit-services unit-domains patterns

evals: setup ## run every measurement in its long form, one after another; ONLY="faults repairs" runs only those
	@exec $(PYTHON) -m scripts.evals $(ONLY)

format: setup ## format and fix the code with ruff
	@.venv/bin/ruff format . && .venv/bin/ruff check --fix .

update-tests: setup ## rewrite tests/golden and the types of the n8n node
	@GROUNDED_UPDATE=1 .venv/bin/pytest -q tests/golden
	@npm --prefix n8n-node run types

docs: setup ## rewrite docs/diagnostics.md and docs/openapi.json
	@.venv/bin/python -m grounded_builder.interfaces.cli.rule_index > docs/diagnostics.md
	@.venv/bin/python -m grounded_builder.interfaces.http.openapi > docs/openapi.json

bench: setup ## measure sync, start, memory and validation time
	@exec $(PYTHON) -m evals.bench

faults: setup ## inject faults into real workflows and count what is found
	@exec $(PYTHON) -m evals.faults

simulink-faults: setup ## inject faults into real Simulink models and count what is found
	@exec $(PYTHON) -m evals.simulink_faults

repairs: setup ## inject mechanical faults into real workflows and count the repairs
	@exec $(PYTHON) -m evals.repairs

alarms: setup ## verify every alarm on real workflows with n8n
	@exec $(PYTHON) -m evals.alarms

drafts: setup ## repair model-written drafts and corrupted twins, and verify them with n8n
	@exec $(PYTHON) -m evals.drafts

DRAFTER ?= planner local local+planner
eval: setup ## generate 50 collected requests with every drafter and verify them with n8n; DRAFTER=planner selects one
	@set -e; for who in $(DRAFTER); do $(PYTHON) -m evals.requests --drafter "$$who"; done

bench-peers: setup ## run the same faults and workflows through n8n-mcp
	@exec $(PYTHON) -m evals.bench.peers

MINUTES ?= 60
PROCESSES ?= 2
fuzz: setup ## fuzz every reader of external data, guided by coverage; MINUTES=60 PROCESSES=2, resumable
	@.venv/bin/pip install --quiet --require-hashes -r requirements/fuzz.txt
	@exec $(PYTHON) -m tests.fuzz --minutes $(MINUTES) --processes $(PROCESSES)

audit: setup ## check all shipped components for known vulnerabilities
	@exec $(PYTHON) -m scripts.audit

sbom: setup ## list the shipped components: CycloneDX documents in .state/sbom, docs/licences.md
	@exec $(PYTHON) -m scripts.sbom

lock: ## pin the Python requirements again
	@scripts/lock.sh

clean: stop ## remove .venv, .state and caches of this checkout; the shared cache stays
	rm -rf .venv .venv.lock .state build dist .mypy_cache .pytest_cache .ruff_cache \
	  .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path '*/node_modules/*' -prune -exec rm -rf {} +
