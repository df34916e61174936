"""Compiles drafts of Simulink models."""
