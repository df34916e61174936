"""Compile text from outside in child processes, within a deadline and a memory bound."""
