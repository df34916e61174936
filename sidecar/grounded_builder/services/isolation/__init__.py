"""Compile outside text in processes that can be ended, within a deadline and a memory bound."""
