"""Contains the domains, which compile drafts for n8n, Simulink and lists of tools."""
