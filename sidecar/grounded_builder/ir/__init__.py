"""The data that passes exchange: plans, graphs, resolutions, options, domains."""
