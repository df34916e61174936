"""Plans a request from the services and steps that it names, without a model."""
