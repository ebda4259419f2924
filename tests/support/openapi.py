"""Checks requests to `trawl serve`, and its answers, by docs/serve-api.json (OpenAPI 3.1): only the words of JSON Schema that it uses."""

import json
import re
from pathlib import Path

DOCUMENT = json.loads((Path(__file__).resolve().parents[2] / "docs" / "serve-api.json").read_text())
KINDS = {"null": type(None), "boolean": bool, "integer": int, "number": (int, float), "string": str, "array": list, "object": dict}
WORDS = {"type", "enum", "pattern", "minimum", "minItems", "description", "items", "prefixItems", "properties", "required", "additionalProperties",
         "anyOf", "$ref"}  # fmt: skip


def target(about):
    """What a reference refers to; anything else is itself."""
    while "$ref" in about:
        found = DOCUMENT
        for name in about["$ref"].lstrip("#/").split("/"):
            found = found[name]
        about = found
    return about


def fault(schema, value, place="answer"):
    """What is wrong with a value; None: nothing."""
    schema = target(schema)
    assert schema.keys() <= WORDS, f"{place}: {schema.keys() - WORDS} is not understood"
    if "anyOf" in schema:
        faults = [fault(one, value, place) for one in schema["anyOf"]]
        return None if None in faults else "; ".join(faults)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds):
        return f"{place}: {value!r} is no {' or '.join(kinds)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{place}: {value!r} is none of {schema['enum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return f"{place}: {value!r} is not like {schema['pattern']}"
    if isinstance(value, int) and value < schema.get("minimum", value):
        return f"{place}: {value} is below {schema['minimum']}"
    if isinstance(value, dict):
        return fault_of_object(schema, value, place)
    return fault_of_array(schema, value, place) if isinstance(value, list) else None


def fault_of_object(schema, value, place):
    """The same for an object."""
    known = schema.get("properties", {})
    missing = [name for name in schema.get("required", []) if name not in value]
    unknown = [name for name in value if name not in known] if schema.get("additionalProperties") is False else []
    if missing or unknown:
        return f"{place}: without {missing}, with {unknown}"
    return next((found for name, one in value.items() if name in known and (found := fault(known[name], one, f"{place}.{name}"))), None)


def fault_of_array(schema, value, place):
    """The same for an array."""
    first = schema.get("prefixItems", [])
    if len(value) < schema.get("minItems", 0) or (schema.get("items") is False and len(value) > len(first)):
        return f"{place}: {len(value)} items"
    rest = schema.get("items") or {}
    return next((found for i, one in enumerate(value) if (found := fault(first[i] if i < len(first) else rest, one, f"{place}[{i}]"))), None)


def operation(question, method="GET"):
    """What is documented of a request; None: nothing."""
    return DOCUMENT["paths"].get(f"/{question}", {}).get(method.lower())


def parameters_of(question):
    """The names of its parameters."""
    about = operation(question) or operation(question, "POST")
    return {target(one)["name"] for one in about["parameters"]}


def taken_by(question, **parameters):
    """Those of some parameters that a question takes."""
    return {name: value for name, value in parameters.items() if name in parameters_of(question)}


def fault_of_request(question, parameters, method="GET"):
    """What is not documented of a request; None: nothing."""
    about = operation(question, method)
    if not about:
        return f"{method} {question} is not documented"
    known = {one["name"]: one for one in map(target, about["parameters"])}
    for name, text in parameters.items():
        if name not in known:
            return f"{question}: parameter '{name}' is not documented"
        is_number = target(known[name]["schema"]).get("type") == "integer"
        found = fault(known[name]["schema"], int(text) if is_number and str(text).isdigit() else str(text), f"{question}: {name}")
        if found:
            return found
    missing = [name for name, one in known.items() if one.get("required") and name not in parameters]
    return f"{question}: without {missing}" if missing else None


def fault_of_answer(question, status, answer, method="GET"):
    """What is not documented of an answer; None: nothing."""
    responses = operation(question, method)["responses"]
    response = target(responses.get(str(status), responses["default"]))
    return fault(response["content"]["application/json"]["schema"], answer, question)
