#!/usr/bin/env python3
"""Makes the types of the SDKs from the protocol's schema: `generate.py` writes the files, `generate.py --check` compares them.

The schema is schemas/serve.json, which `cargo xtask schemas` makes of the Rust types. A type that this script does not know is an
error: it never writes `any` for something that the schema describes.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any, Iterator

SDK = Path(__file__).resolve().parent
SCHEMA = SDK.parent / "schemas" / "serve.json"
NOTE = "Made by sdk/generate.py from schemas/serve.json: change the Rust types, not this file."
WIDTH = 116

Schema = Any  # A JSON schema: an object or a boolean.


def reference(schema: Schema) -> str | None:
    """The name of the definition that a schema refers to."""
    ref = schema.get("$ref")
    return None if ref is None else ref.rsplit("/", 1)[-1]


def alternatives(schema: Schema) -> list[Schema] | None:
    return schema.get("oneOf") or schema.get("anyOf")


def types_of(schema: Schema) -> list[str]:
    names = schema.get("type", [])
    return [names] if isinstance(names, str) else names


def is_record(schema: Schema) -> bool:
    """Is it an object with known members?"""
    return types_of(schema) == ["object"] and ("properties" in schema or schema.get("additionalProperties") is False)


def unique(names: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(names))


class Language:
    """How a language writes types."""

    null = ""
    names: dict[str, str] = {}
    anything = ""

    def literal(self, value: Any) -> str:
        raise NotImplementedError

    def array(self, item: str) -> str:
        raise NotImplementedError

    def mapping(self, value: str) -> str:
        raise NotImplementedError

    def union(self, members: list[str]) -> str:
        raise NotImplementedError

    def type_of(self, schema: Schema) -> str:
        if schema is True or schema is None:
            return self.anything
        name = reference(schema)
        if name is not None:
            return name
        if len(schema.get("allOf", [])) == 1:
            return self.type_of(schema["allOf"][0])
        if "const" in schema:
            return self.literal(schema["const"])
        if "enum" in schema:
            return self.union([self.literal(value) for value in schema["enum"]])
        any_of = alternatives(schema)
        if any_of:
            return self.union(unique(self.type_of(one) for one in any_of))
        types = types_of(schema)
        if not types:
            described = set(schema) - {"description", "default", "title"}
            if described:
                raise ValueError(f"no rule for a schema with {sorted(described)}")
            return self.anything
        return self.union(unique(self.simple(name, schema) for name in types))

    def simple(self, name: str, schema: Schema) -> str:
        if name == "array":
            return self.array(self.type_of(schema.get("items", True)))
        if name == "object":
            if schema.get("properties"):
                raise ValueError("an object with members inside another type: make it a definition")
            values = schema.get("additionalProperties", True)
            return self.mapping(self.anything if values is False else self.type_of(values))
        return self.null if name == "null" else self.names[name]


class TypeScript(Language):
    null = "null"
    names = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
    anything = "unknown"

    def literal(self, value: Any) -> str:
        return json.dumps(value)

    def array(self, item: str) -> str:
        return f"({item})[]" if " | " in item else f"{item}[]"

    def mapping(self, value: str) -> str:
        return f"Record<string, {value}>"

    def union(self, members: list[str]) -> str:
        return " | ".join(members)

    def doc(self, schema: Schema, indent: str) -> list[str]:
        lines = wrapped(schema, WIDTH - len(indent) - 7)
        if len(lines) <= 1:
            return [f"{indent}/** {line} */" for line in lines]
        return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]

    def members(self, schema: Schema, indent: str) -> list[str]:
        lines = []
        required = schema.get("required", [])
        for name, member in schema.get("properties", {}).items():
            lines += self.doc(member, indent)
            if name in required:
                lines.append(f"{indent}{name}: {self.type_of(member)};")
            else:
                lines.append(f"{indent}{name}?: {self.union(unique(iter([*self.type_of(member).split(' | '), 'undefined'])))};")
        return lines

    def definition(self, name: str, schema: Schema) -> list[str]:
        lines = ["", *self.doc(schema, "")]
        if is_record(schema):
            members = self.members(schema, "  ")
            if not members:
                return [*lines, f"export type {name} = Record<string, never>;"]
            return [*lines, f"export interface {name} {{", *members, "}"]
        any_of = alternatives(schema)
        if not any_of:
            return [*lines, f"export type {name} = {self.type_of(schema)};"]
        lines.append(f"export type {name} =")
        for one in any_of:
            lines += self.doc(one, "  ")
            if is_record(one):
                lines += ["  | {", *self.members(one, "      "), "    }"]
            else:
                lines.append(f"  | {self.type_of(one)}")
        return [*lines[:-1], f"{lines[-1]};"]

    def file(self, schema: Schema) -> str:
        lines = [f"// {NOTE}", "", "/** The version of the protocol that these types are of. */"]
        lines.append(f"export const PROTOCOL_VERSION = {schema['x-protocol-version']};")
        for name, definition in schema["$defs"].items():
            lines += self.definition(name, definition)
        return "\n".join(lines) + "\n"


class Python(Language):
    null = "None"
    names = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
    anything = "Any"

    def literal(self, value: Any) -> str:
        return f"Literal[{json.dumps(value)}]"

    def array(self, item: str) -> str:
        return f"List[{item}]"

    def mapping(self, value: str) -> str:
        return f"Dict[str, {value}]"

    def union(self, members: list[str]) -> str:
        if all(member.startswith("Literal[") for member in members):
            return f"Literal[{', '.join(member[8:-1] for member in members)}]"
        rest = [member for member in members if member != "None"]
        if not rest:
            return self.null
        if "Any" in rest:
            return "Any"
        text = rest[0] if len(rest) == 1 else f"Union[{', '.join(rest)}]"
        return f"Optional[{text}]" if len(rest) < len(members) else text

    def doc(self, schema: Schema, indent: str) -> list[str]:
        return [f"{indent}#: {line}".rstrip() for line in wrapped(schema, WIDTH - len(indent) - 3)]

    def docstring(self, schema: Schema) -> list[str]:
        lines = wrapped(schema, WIDTH - 10)
        if len(lines) <= 1:
            return [f'    """{line}"""' for line in lines]
        return [f'    """{lines[0]}', *(f"    {line}".rstrip() for line in lines[1:]), '    """']

    def members(self, schema: Schema, names: list[str]) -> list[str]:
        lines = []
        for name in names:
            member = schema["properties"][name]
            lines += ["", *self.doc(member, "    "), f"    {name}: {self.type_of(member)}"]
        return lines

    def record(self, name: str, schema: Schema) -> list[str]:
        """A TypedDict; Python 3.9 has no NotRequired, so that members that may be absent need a class of their own."""
        required = [member for member in schema.get("properties", {}) if member in schema.get("required", [])]
        optional = [member for member in schema.get("properties", {}) if member not in required]
        lines = ["", ""]
        if required and optional:
            lines += [f"class _{name}(TypedDict):", *self.members(schema, required)[1:], "", ""]
            lines.append(f"class {name}(_{name}, total=False):")
            return [*lines, *self.docstring(schema), *self.members(schema, optional)]
        total = "" if required else ", total=False"
        lines.append(f"class {name}(TypedDict{total}):")
        return [*lines, *self.docstring(schema), *self.members(schema, required or optional)]

    def file(self, schema: Schema) -> str:
        lines = [f'"""The types of the protocol. {NOTE}"""', "", "from __future__ import annotations", ""]
        lines.append("from typing import Any, Dict, List, Literal, Optional, TypedDict, Union")
        lines += ["", "#: The version of the protocol that these types are of."]
        lines.append(f"PROTOCOL_VERSION = {schema['x-protocol-version']}")
        aliases: list[str] = []
        for name, definition in schema["$defs"].items():
            if is_record(definition):
                lines += self.record(name, definition)
                continue
            variants: list[str] = []
            for number, one in enumerate(alternatives(definition) or [definition]):
                if is_record(one):
                    tags = [member["const"] for member in one["properties"].values() if "const" in member]
                    variant = f"{name}{tags[0].title().replace('_', '')}" if tags else f"{name}{number}"
                    lines += self.record(variant, one)
                    variants.append(variant)
                else:
                    variants.append(self.type_of(one))
            aliases += ["", *self.doc(definition, ""), f"{name} = {self.alias(self.union(variants))}"]
        # An alias is a value: what it names must stand before it, and what annotations name need not.
        return "\n".join([*lines, "", *aliases]) + "\n"

    @staticmethod
    def alias(text: str) -> str:
        return text if len(text) < WIDTH - 20 or "[" not in text else text.replace("[", "[\n    ", 1).replace(", ", ",\n    ")[:-1] + ",\n]"


def wrapped(schema: Schema, width: int) -> list[str]:
    text = schema.get("description", "") if isinstance(schema, dict) else ""
    paragraphs = [textwrap.wrap(paragraph.replace("*/", "* /"), width) for paragraph in text.split("\n\n")]
    lines: list[str] = []
    for paragraph in paragraphs:
        lines += ["", *paragraph] if lines else paragraph
    return lines


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 64
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    files = {
        SDK / "node" / "src" / "protocol.ts": TypeScript().file(schema),
        SDK / "python" / "hookshell" / "protocol.py": Python().file(schema),
    }
    stale = []
    for path, text in files.items():
        if path.exists() and path.read_bytes() == text.encode():
            continue
        if arguments:
            stale.append(path)
        else:
            path.write_bytes(text.encode())
    for path in stale:
        print(f"{path.relative_to(SDK.parent)} is not what the schema says: run sdk/generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
