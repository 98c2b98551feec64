"""The floor on several nodes while they are killed: histories, their check, and the drill."""
