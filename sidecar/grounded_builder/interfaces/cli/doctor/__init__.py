"""Looks at an installation: what works, what is not set up, what is in doubt, what fails."""
