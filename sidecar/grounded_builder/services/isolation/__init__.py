"""Compiles untrusted text in child processes, within a deadline and a memory bound."""
