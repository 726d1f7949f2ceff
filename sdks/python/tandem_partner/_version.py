"""The version in pyproject.toml, for the User-Agent."""

VERSION = "0.1.0"

#: The last release of the partner API. The types follow docs/openapi/partner-api.json, which may be newer.
API_VERSION = "0.1.0"
