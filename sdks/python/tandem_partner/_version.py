"""The version in pyproject.toml, for the User-Agent."""

VERSION = "0.1.0"

#: The release of the partner API whose document the types follow.
API_VERSION = "0.1.0"
