"""Answers the requests of rehearsed nodes in place of services and models."""
