"""What holds of a model: its nets, port counts and the signals on its lines."""
