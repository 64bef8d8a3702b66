/** The reference of the HTTP interface, from the OpenAPI document that the service publishes. */
import { REASONS, reasonDocsSlug } from "../packages/protocol/dist/index.js";

/** Every route that needs a token may refuse with these, so they are told once. */
const COMMON_ERRORS = ["unauthorized", "rate_limited", "unavailable"];
/** Every list takes these, so they are told once. */
const PAGING = ["limit", "cursor"];

const INTRO = `This is the HTTP API for owners, operators and auditors, by subject. A running service also publishes it for programs at
\`/openapi.json\`, with every pattern and limit. For agents and platforms, read these guides: [mandates](../guide/mandates.md),
[MCP](../guide/mcp.md), [UCP](../guide/ucp.md), [visits](../guide/install.md).

Routes under \`/v1/admin\` need \`Authorization: Bearer …\` with a token. The role of the token decides what it can do. An auditor can
read, a reviewer can also decide reviews, an owner can change the site, and an operator can do everything. Bodies are strict JSON:
fields that are not listed are rejected. Routes under \`/v1/console\` are for the pages of the console, which use a cookie.
All of these routes can also return these errors: ${COMMON_ERRORS.map(errorLink).join(", ")}.

\`\`\`sh
auth="Authorization: Bearer $GATEHOUSE_ADMIN_TOKEN"
curl -H "$auth" https://gate.example.com/v1/admin/sites
curl -H "$auth" -H "Content-Type: application/json" -X PUT --data @policy.json https://gate.example.com/v1/admin/sites/<site_key_hash>/policy
\`\`\`

A list returns \`items\`, up to \`limit\` of them (50 by default, at most 200). If there are more, it also returns \`next_cursor\`: send
it as \`cursor\` to get the next page. Times are ISO 8601 in UTC. Amounts are in whole minor units, or decimal text where noted.`;

function errorLink(code) {
  return `[\`${code}\`](../errors/${reasonDocsSlug(code)}.md)`;
}

const nameOf = (ref) => ref.split("/").at(-1);
/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading) => heading.toLowerCase().replaceAll(" ", "-");
const shapeHeading = (name) => `${name} shape`;
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const shapeLink = (ref) => `[${nameOf(ref)}](#${anchorOf(shapeHeading(nameOf(ref)))})`;

function limitsOf({ minLength, maxLength, minimum, maximum, minItems, maxItems }, isList) {
  const range = (low, high, unit) => {
    if (low > 1 && high !== undefined) return `${low} to ${high}${unit}`;
    return high === undefined || high >= Number.MAX_SAFE_INTEGER
      ? undefined
      : `at most ${high}${unit}`;
  };
  if (isList) return range(minItems, maxItems, "");
  return range(minLength, maxLength, " characters") ?? range(minimum, maximum, "");
}

function typeOf(schema) {
  if (schema.$ref !== undefined) return shapeLink(schema.$ref);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) {
    const values = schema.enum.filter((value) => value !== null);
    const words = values.map((value) => (value === "" ? "empty" : `\`${value}\``)).join(", ");
    return schema.enum.length > values.length ? `${words} or null` : words;
  }
  for (const all of [schema.anyOf, schema.oneOf]) {
    if (all !== undefined) return [...new Set(all.map(typeOf))].join(" or ");
  }
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(" and ");
  const types = [schema.type ?? "anything"].flat();
  const words = types.map((type) => {
    if (type === "array")
      return schema.items === undefined ? "list" : `list of ${listed(schema.items)}`;
    if (type === "string" && schema.format === "date-time") return "time";
    return type;
  });
  const limits = limitsOf(schema, types.includes("array"));
  return words.join(" or ") + (limits === undefined ? "" : `, ${limits}`);
}

/** What is in a list; the fields of an object in it stand on lines of their own. */
function listed(schema) {
  if (schema.properties !== undefined) return "objects";
  return typeOf(schema).replace(/, (.*)/, " ($1)");
}

function meaningOf({ description, default: fallback }) {
  const sentences = description === undefined ? [] : [description];
  if (fallback !== undefined)
    sentences.push(
      `\`${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}\` by default.`,
    );
  return sentences.join(" ");
}

/** Every field of an object, those of objects and lists in it too, by their paths. */
function fieldsOf(schema, path = "") {
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = `${path}${name}`;
    const needed = schema.required?.includes(name) ?? false;
    const inside = field.items === undefined ? fieldsOf(field, `${here}.`) : [];
    const items = field.items === undefined ? [] : fieldsOf(field.items, `${here}[].`);
    return [{ name: here, schema: field, needed }, ...inside, ...items];
  });
  const seen = new Set();
  return [...own, ...parts.flatMap((part) => fieldsOf(part, path))].filter(
    ({ name }) => !seen.has(name) && seen.add(name),
  );
}

/** A table of fields. Of a body those are marked that must be there, of an answer those that may not be. */
function fieldTable(schema, { body }) {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return "";
  const explained = fields.some(({ schema: field }) => meaningOf(field) !== "");
  const rows = fields.map(({ name, schema: field, needed }) => {
    const mark = body ? (needed ? " (required)" : "") : needed ? "" : " (optional)";
    const meaning = explained ? ` ${cell(meaningOf(field))} |` : "";
    return `| \`${name}\`${mark} | ${cell(typeOf(field))} |${meaning}`;
  });
  const head = explained
    ? "| Field | Type | Meaning |\n|---|---|---|"
    : "| Field | Type |\n|---|---|";
  return `${head}\n${rows.join("\n")}\n`;
}

function parameterLines(parameters) {
  const listed = parameters.some(({ name }) => name === "cursor");
  const shown = parameters.filter(({ name, in: where, schema }) =>
    where === "path" ? schema.enum !== undefined : !(listed && PAGING.includes(name)),
  );
  const lines = shown.map(({ name, in: where, schema, required }) => {
    const words = [
      typeOf(schema) + (required && where !== "path" ? ", required" : ""),
      meaningOf(schema),
    ];
    const address = where === "path" ? `{${name}}` : name;
    return `- \`${address}\`: ${words.filter((word) => word !== "").join(". ")}`;
  });
  if (listed) lines.push("- `limit`, `cursor`");
  return lines.length === 0 ? [] : [`Parameters:\n\n${lines.join("\n")}\n`];
}

function bodyText({ content }) {
  const { schema } = content["application/json"] ?? {};
  if (schema === undefined) {
    const types = Object.keys(content).map((type) => `\`${type}\``);
    return `Body: ${types.join(" or ")}.\n`;
  }
  if (schema.$ref !== undefined) return `Body: ${shapeLink(schema.$ref)}.\n`;
  const choice = schema.anyOf === undefined ? "Body:" : "Body, one of these:";
  const table = fieldTable(schema, { body: true });
  if (table !== "") return `${choice}\n\n${table}`;
  return schema.description === undefined ? "Body: `{}`.\n" : `Body: ${schema.description}\n`;
}

/** What is answered: a shape by its name, or the names of the fields. */
function answerText(type, schema = {}) {
  if (type !== "application/json") return `\`${type}\``;
  const refs = [schema, ...(schema.allOf ?? [])].filter(({ $ref }) => $ref !== undefined);
  const names = refs.map(({ $ref }) => shapeLink($ref));
  const fields = [schema, ...(schema.allOf ?? [])].flatMap(({ properties = {} }) =>
    Object.entries(properties).map(([name, field]) => {
      const link = field.items?.$ref ?? field.$ref;
      return link === undefined ? `\`${name}\`` : `\`${name}\` (${shapeLink(link)})`;
    }),
  );
  return [...names, ...fields].join(", ") || `\`${type}\``;
}

function answerLines(responses, security) {
  const open = security !== undefined && security.length === 0;
  const errors = [];
  const lines = Object.entries(responses).flatMap(([status, { description, content = {} }]) => {
    // Reasons that share a status stand in one description: "`conflict`: … Or `approval_blocked`: …"
    const codes = [...description.matchAll(/(?:^| Or )`(\w+)`:/g)]
      .map(([, code]) => code)
      .filter((code) => code in REASONS);
    if (codes.length > 0) {
      const own = codes.filter((code) => open || !COMMON_ERRORS.includes(code));
      errors.push(...own.map(errorLink));
      return [];
    }
    const bodies = Object.entries(content).map(([type, { schema }]) => answerText(type, schema));
    const meaning = description.replace(/\.$/, "");
    return [
      `- ${status}: ${[meaning, bodies.join(" or ")].filter((text) => text !== "").join(": ")}`,
    ];
  });
  if (errors.length > 0) lines.push(`- errors: ${errors.join(", ")}`);
  return `Answers:\n\n${lines.join("\n")}\n`;
}

function routeSection({ path, method, operation }) {
  const { summary, description, parameters = [], requestBody, responses, security } = operation;
  return [
    `### ${summary}\n`,
    `\`${method.toUpperCase()} ${path}\`\n`,
    ...(description === undefined ? [] : [`${description}\n`]),
    ...parameterLines(parameters),
    ...(requestBody === undefined ? [] : [bodyText(requestBody)]),
    answerLines(responses, security),
  ].join("\n");
}

const MESSAGES = "Messages to shop systems";
const MESSAGES_INTRO = `Gatehouse sends these messages to the endpoint of a shop system that is connected. The
[connector interface](../guide/connector.md) says what each means. Each is a \`POST\` with JSON. Those to a connected shop system, and their answers, have these headers:`;

function messageSection([type, { post }]) {
  const { summary, requestBody, responses } = post;
  const schemaOf = ({ content }) => content["application/json"].schema;
  const answer = schemaOf(responses[200]);
  const answers = (answer.anyOf ?? [answer]).map((one) => fieldTable(one, { body: false }));
  return [
    `### ${summary}\n`,
    `The message \`${type}\`:\n`,
    fieldTable(schemaOf(requestBody), { body: false }),
    answers.length === 1 ? "Answer:\n" : "Answer, one of these:\n",
    ...answers,
  ].join("\n");
}

function messageSections(webhooks) {
  const messages = Object.entries(webhooks);
  // Before a connection there is no secret to sign with, and the message has no headers of its own.
  const [, { post }] = messages.find(([, one]) => one.post.parameters !== undefined);
  const headers = post.parameters.map(({ name, schema }) => `- \`${name}\`: ${meaningOf(schema)}`);
  const sections = messages.map(messageSection);
  return [`## ${MESSAGES}\n`, `${MESSAGES_INTRO}\n`, `${headers.join("\n")}\n`, ...sections];
}

/** The page without its note. */
export function httpReference({ paths, webhooks, components }) {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(routes.map(({ operation }) => operation.tags[0]))].sort();
  const sections = tags.map((tag) => {
    const own = routes.filter(({ operation }) => operation.tags[0] === tag);
    return `## ${tag}\n\n${own.map(routeSection).join("\n")}`;
  });
  const shapes = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const shapeSections = shapes.map(([name, schema]) => {
    const base = (schema.allOf ?? []).filter(({ $ref }) => $ref !== undefined);
    const more =
      base.length === 0 ? "" : `${base.map(({ $ref }) => shapeLink($ref)).join(", ")}, and:\n\n`;
    return `### ${shapeHeading(name)}\n\n${more}${fieldTable(schema, { body: false })}`;
  });
  const contents = [...tags, MESSAGES, "Shapes"]
    .map((title) => `[${title}](#${anchorOf(title)})`)
    .join(" · ");
  return [
    "# HTTP interface\n",
    `${INTRO}\n`,
    `${contents}\n`,
    ...sections,
    ...messageSections(webhooks),
    "## Shapes\n",
    "The objects that the answers above contain.\n",
    ...shapeSections,
  ].join("\n");
}
