"""Reads pairs of a schema and a value, decodes each value, and prints its class (for a union, the class of the variant), or 'refused' if the value does not fit."""

import json
import sys

import models
from pydantic import RootModel, ValidationError


def decoded(schema: str, value: object) -> str:
    try:
        read = getattr(models, schema).model_validate_json(json.dumps(value))
    except ValidationError:
        return "refused"
    return type(read.root if isinstance(read, RootModel) else read).__name__


for schema, value in json.load(sys.stdin):
    print(decoded(schema, value))
