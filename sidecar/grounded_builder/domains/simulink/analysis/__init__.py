"""Derives facts about a model: its nets, port counts and the signals on its lines."""
