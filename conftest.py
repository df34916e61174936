"""Loads the fixtures that every suite may ask for, and bounds examples by number alone."""

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "tests.support.databases",
    "tests.support.n8n_server",
    "tests.support.sidecar",
    "tests.support.browser",
    "tests.support.openai_server",
]

# The same examples each time, however long one takes: a slow machine finds no other fault.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
