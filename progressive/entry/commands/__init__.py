"""One module per command of the command line; `cli.py` loads each only when it is called."""
