"""Decodes pairs of a schema and a value from the input, and prints the class of each: that of the variant of a union, or "refused"."""

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
