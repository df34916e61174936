"""Drafters: language models behind endpoints and on this machine."""
