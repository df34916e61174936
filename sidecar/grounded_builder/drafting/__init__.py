"""Drafts artifacts: asks models or the keyword planner for drafts until one compiles."""
