"""What the passes hand to each other: plans, graphs, resolutions, options, domains."""
