"""The version in pyproject.toml, for the User-Agent."""

VERSION = "0.1.0"
