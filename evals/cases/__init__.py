"""Drafts workflows for collected conversations, and judges them by scenarios in rehearsals."""
