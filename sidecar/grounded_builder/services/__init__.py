"""Runs requests of the interfaces: sessions, imports, jobs, trials and decisions."""
