"""Provides fixtures and helpers shared by all suites."""
