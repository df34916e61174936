"""The ways in: command line, HTTP and the Model Context Protocol."""
