"""Lower a plan into a native model."""
