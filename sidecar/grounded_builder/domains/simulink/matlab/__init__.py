"""Exchanges data with MATLAB: literals, build reports, installed catalogs and the toolbox."""
