"""Every regular expression of the sidecar against texts that are made to be hard for it."""
