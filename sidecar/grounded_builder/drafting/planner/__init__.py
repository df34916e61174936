"""The keyword planner: a plan without any model, made of what a request names."""
