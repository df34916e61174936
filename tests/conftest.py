"""Loads the fixtures that every suite may ask for."""

pytest_plugins = [
    "tests.support.databases",
    "tests.support.n8n_server",
    "tests.support.sidecar",
    "tests.support.browser",
    "tests.support.openai_server",
]
