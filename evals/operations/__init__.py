"""Measures whether every operation of the installed nodes is chosen however a step writes it."""
