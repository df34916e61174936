"""Measures how many silent faults in real workflows rehearsals find with stated expectations."""
