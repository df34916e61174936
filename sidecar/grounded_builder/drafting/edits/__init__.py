"""Changes to an existing document: their language, their reading, what becomes of them."""
