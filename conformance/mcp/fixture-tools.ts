import type { JsonObject } from "@gatehouse/protocol";
import { type Tool, toolResult } from "../../packages/server/src/actions/mcp/tools.ts";

/** The smallest pictures and sounds there are. */
const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const NO_ARGUMENTS: JsonObject = { type: "object", additionalProperties: false };

const text = (words: string): JsonObject => ({ type: "text", text: words });
const image: JsonObject = { type: "image", data: RED_PIXEL, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, words: string): JsonObject => ({
  type: "resource",
  resource: { uri, mimeType, text: words },
});

function fixture(name: string, result: JsonObject, inputSchema = NO_ARGUMENTS): Tool {
  const made = toolResult(result, result.isError === true ? "error" : "answered");
  const definition = {
    name,
    description: `Fixture of the MCP conformance suite: ${name}.`,
    inputSchema,
  };
  return { kind: "plain", seen: { hasNoAnswers: false }, definition, call: () => made };
}

/** Every keyword the suite looks for must come through as it is. */
const SCHEMA_2020_12: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/**
 * What the official suite calls. Only a server that a test composes has them: the command reads no
 * setting that could.
 */
export const FIXTURE_TOOLS: readonly Tool[] = [
  fixture("test_simple_text", { content: [text("This is a simple text response for testing.")] }),
  fixture("test_image_content", { content: [image] }),
  fixture("test_audio_content", {
    content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }],
  }),
  fixture("test_embedded_resource", {
    content: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
  }),
  fixture("test_multiple_content_types", {
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }),
  fixture("test_error_handling", {
    content: [text("This tool intentionally returns an error for testing")],
    isError: true,
  }),
  // The stateless revision: nothing is logged, and nothing asked of the client, that it did not want.
  fixture("test_logging_tool", { content: [text("Done, without a word.")] }),
  fixture("test_streaming_elicitation", { content: [text("Done, without asking.")] }),
  fixture("json_schema_2020_12_tool", { content: [text("Called.")] }, SCHEMA_2020_12),
];
