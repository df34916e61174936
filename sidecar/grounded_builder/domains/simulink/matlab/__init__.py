"""What leaves for MATLAB: the script that builds a model."""
