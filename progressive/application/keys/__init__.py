"""The ports for keys of tables, signs and relays: who checks one, who issues one.

Where keys are stored belongs to `adapters/keys`, what a key opens to `entry`.
"""
