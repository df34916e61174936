"""Fixtures shared by all suites."""
