"""Provides the interfaces: command line, HTTP and the Model Context Protocol."""
