"""How `progressive odds` prints: JSON, a table, and the simulation beside it."""
