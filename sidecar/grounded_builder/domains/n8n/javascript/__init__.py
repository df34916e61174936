"""Evaluates and parses JavaScript in a bounded V8 isolate."""
