"""The command line: a reader of the same values that the Python API gives."""
