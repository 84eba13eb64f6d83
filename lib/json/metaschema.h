// The metaschema of draft 2020-12 in one document, for schemas that refer to it: svc fetches
// nothing while it validates.
#pragma once

#include <string_view>

namespace svc {

inline constexpr std::string_view k_metaschema_uri = "https://json-schema.org/draft/2020-12/schema";

inline constexpr std::string_view k_metaschema = R"json({
"$id": "https://json-schema.org/draft/2020-12/schema",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"$defs": {
  "schema": {"$dynamicRef": "#meta"},
  "schemas": {"type": "array", "minItems": 1, "items": {"$dynamicRef": "#meta"}},
  "members": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}, "default": {}},
  "anchor": {"type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"},
  "names": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "default": []},
  "count": {"type": "integer", "minimum": 0},
  "type": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]}
},
"properties": {
  "$id": {"type": "string", "pattern": "^[^#]*#?$"},
  "$schema": {"type": "string"},
  "$ref": {"type": "string"},
  "$anchor": {"$ref": "#/$defs/anchor"},
  "$dynamicRef": {"type": "string"},
  "$dynamicAnchor": {"$ref": "#/$defs/anchor"},
  "$vocabulary": {"type": "object", "additionalProperties": {"type": "boolean"}},
  "$comment": {"type": "string"},
  "$defs": {"$ref": "#/$defs/members"},
  "definitions": {"$ref": "#/$defs/members"},
  "dependencies": {"type": "object", "additionalProperties":
    {"anyOf": [{"$dynamicRef": "#meta"}, {"$ref": "#/$defs/names"}]}},
  "prefixItems": {"$ref": "#/$defs/schemas"},
  "items": {"$ref": "#/$defs/schema"},
  "contains": {"$ref": "#/$defs/schema"},
  "additionalProperties": {"$ref": "#/$defs/schema"},
  "properties": {"$ref": "#/$defs/members"},
  "patternProperties": {"$ref": "#/$defs/members"},
  "dependentSchemas": {"$ref": "#/$defs/members"},
  "propertyNames": {"$ref": "#/$defs/schema"},
  "if": {"$ref": "#/$defs/schema"},
  "then": {"$ref": "#/$defs/schema"},
  "else": {"$ref": "#/$defs/schema"},
  "allOf": {"$ref": "#/$defs/schemas"},
  "anyOf": {"$ref": "#/$defs/schemas"},
  "oneOf": {"$ref": "#/$defs/schemas"},
  "not": {"$ref": "#/$defs/schema"},
  "unevaluatedItems": {"$ref": "#/$defs/schema"},
  "unevaluatedProperties": {"$ref": "#/$defs/schema"},
  "type": {"anyOf": [{"$ref": "#/$defs/type"},
    {"type": "array", "items": {"$ref": "#/$defs/type"}, "minItems": 1, "uniqueItems": true}]},
  "enum": {"type": "array"},
  "multipleOf": {"type": "number", "exclusiveMinimum": 0},
  "maximum": {"type": "number"},
  "exclusiveMaximum": {"type": "number"},
  "minimum": {"type": "number"},
  "exclusiveMinimum": {"type": "number"},
  "maxLength": {"$ref": "#/$defs/count"},
  "minLength": {"$ref": "#/$defs/count"},
  "pattern": {"type": "string"},
  "maxItems": {"$ref": "#/$defs/count"},
  "minItems": {"$ref": "#/$defs/count"},
  "uniqueItems": {"type": "boolean"},
  "maxContains": {"$ref": "#/$defs/count"},
  "minContains": {"$ref": "#/$defs/count"},
  "maxProperties": {"$ref": "#/$defs/count"},
  "minProperties": {"$ref": "#/$defs/count"},
  "required": {"$ref": "#/$defs/names"},
  "dependentRequired": {"type": "object", "additionalProperties": {"$ref": "#/$defs/names"}},
  "title": {"type": "string"},
  "description": {"type": "string"},
  "deprecated": {"type": "boolean"},
  "readOnly": {"type": "boolean"},
  "writeOnly": {"type": "boolean"},
  "examples": {"type": "array"},
  "format": {"type": "string"},
  "contentEncoding": {"type": "string"},
  "contentMediaType": {"type": "string"},
  "contentSchema": {"$ref": "#/$defs/schema"}
}})json";

}  // namespace svc
