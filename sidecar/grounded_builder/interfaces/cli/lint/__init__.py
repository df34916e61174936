"""A linter's view of findings: which to show, which a person has accepted."""
