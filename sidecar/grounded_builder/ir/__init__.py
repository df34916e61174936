"""Defines the data that passes exchange: plans, graphs, resolutions, options, domains."""
