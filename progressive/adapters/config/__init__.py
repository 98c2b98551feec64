"""Floor, game and jurisdiction files: TOML to checked rules. `floor.py` is the entrance."""
