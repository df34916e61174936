"""Computes facts about a model: its nets, its port counts and the signals on its lines."""
