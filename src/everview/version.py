"""The version of the package, recorded in what it creates."""

VERSION = "0.1.0"
