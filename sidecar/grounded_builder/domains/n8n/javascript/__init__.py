"""Evaluate and parse JavaScript in a bounded V8 isolate."""
