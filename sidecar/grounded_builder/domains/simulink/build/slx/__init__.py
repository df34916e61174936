"""Writes a model as a ``.slx`` file in the layout of R2012b to R2019a."""
