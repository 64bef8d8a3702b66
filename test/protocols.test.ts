import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROTOCOLS } from "@gatehouse/protocol";
import { expect, test } from "vitest";
import { root } from "./source.ts";

/** The contract's own table (1.8): protocol, kind, status, scope. */
const CONTRACT = `
| MCP | mandate protocol | LIVE | per-site server: \`initialize\`, \`tools/list\`, audited \`tools/call\` |
| A2A | mandate protocol | LIVE, agent card only | signed card; task methods such as \`message/send\` are not implemented |
| AP2 | mandate protocol | LIVE, boundary | signed AP2 mandates admitted; \`cart_total\` and \`cart_currency\` are shape-checked and fed to the policy engine; full IntentMandate, CartMandate and PaymentMandate objects are not validated |
| ARD | discovery | LIVE | signed catalog |
| llms.txt | discovery | LIVE | generated per site |
| HTML gateway (\`/agent\`) | discovery | LIVE | HTML page |
| JWKS | discovery | LIVE | public keys |
| ACP (agentic checkout) | mandate protocol | built, not enabled for sites | discovery half served through catalog and card; mandates with protocol \`acp\` are not accepted |
| UCP | merchant endpoint | LIVE, checkout and orders through one card-payment rail | profile, checkout, orders, webhooks |
| Web Bot Auth (RFC 9421) | identity | LIVE on edge-worker and plugin installs only | verifies signatures that some agents attach to requests; a failed signature is shown on the visit and does not block the agent |
| x402 | mandate protocol | DEFERRED | mandates with protocol \`x402\` are not accepted |
`;

const rowsOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.replaceAll("`", "")),
    );

/** Where the contract's wording and the table's columns differ: a comma, and a capital. */
const statusOf = (text: string) => text.replace(/^built/, "BUILT").replace("LIVE on", "LIVE, on");

test("the protocols table matches the contract row by row", () => {
  const ours = PROTOCOLS.map(({ name, kind, status, limitation, scope }) => [
    name,
    kind,
    limitation === undefined ? status : `${status}, ${limitation}`,
    scope,
  ]);
  const theirs = rowsOf(CONTRACT).map(([name, kind, status = "", scope]) => [
    name,
    kind,
    statusOf(status),
    scope,
  ]);
  expect(ours).toEqual(theirs);
});

const contract = join(root, "../shared/spec/interface.md");

test.skipIf(!existsSync(contract))("the copy in this file is the contract's text", ({ task }) => {
  const text = readFileSync(contract, "utf8");
  for (const row of CONTRACT.trim().split("\n")) expect(text).toContain(row);
  const rows = text.split("| Protocol | Kind | Status | Scope |")[1]?.split("\n\n")[0] ?? "";
  expect(rows.trim().split("\n").length - 1).toBe(PROTOCOLS.length);
  Object.assign(task.meta, { outside: 1 });
});

test("the reference page has every row with its status", () => {
  const page = readFileSync(join(root, "docs/reference/protocols.md"), "utf8");
  for (const { name, kind, scope } of PROTOCOLS) {
    expect(page).toContain(`| ${name} | ${kind} | `);
    expect(page).toContain(`| ${scope} |`);
  }
});
