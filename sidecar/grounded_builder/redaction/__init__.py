"""Take secrets out of text: those of people, and the keys of this installation."""
