"""The retrieval planner: a plan without any model, made of what a request says and names."""
