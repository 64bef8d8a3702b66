import { expect, test } from "vitest";
import { freshEnvironment, OPERATOR_TOKEN, startServer } from "./harness.ts";
import { selling } from "./selling/selling.ts";

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: unknown;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    required?: boolean;
  }[];
}

/** Ends the site or the stream it is asked of: last, and not read to its end. */
const LAST = ["delete /v1/admin/sites/{site_key_hash}"];

test("every route of the OpenAPI document answers with a status that it documents", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const at = selling(server);
  const shop = await at.shop();
  const { domain } = (await shop.admin("GET", "")).body;
  const buyer = await at.buyer(shop);
  const bought = await at.order(shop, buyer);
  const [order] = await at.orders(shop);
  const asked = await at.order(shop, buyer, {
    items: [{ id: "palm", quantity: 1 }],
    total: "600.00",
  });
  const names: Readonly<Record<string, string>> = {
    site_key: shop.site_key,
    site_key_hash: shop.site_key_hash,
    domain,
    agent_id: buyer.agentId,
    order_id: order.order_id,
    decision_id: order.decision_id,
    escalation_id: asked.body.escalation_id,
    record_id: bought.body.record_id,
    version: "1",
    step: "suspend",
    message_id: "msg_none",
    question_id: "qst_none",
    token_id: "adm_none",
    person_id: "per_none",
    passkey_id: "none",
    session_id: "ses_none",
    platform: "platform.example",
    credential_id: "key_none",
    connection_id: "con_none",
    picture: "pic_none",
  };
  const { paths } = await (await fetch(`${server.url}/openapi.json`)).json();
  const routes = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const isLast = ({ method, path }: { method: string; path: string }) =>
    LAST.includes(`${method} ${path}`);
  const wrong: unknown[] = [];
  for (const { path, method, operation } of routes.toSorted(
    (a, b) => Number(isLast(a)) - Number(isLast(b)),
  )) {
    const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
      expect([path, name, name in names]).toEqual([path, name, true]);
      return encodeURIComponent(names[name] ?? "");
    });
    const day = new Date().toISOString().slice(0, 10);
    const needed = operation.parameters?.some(
      ({ in: place, required }) => place === "query" && required,
    );
    const url = server.url + filled + (needed ? `?day=${day}` : "");
    const options = await fetch(url, { method: "OPTIONS" });
    const allowed = options.headers.get("allow") ?? "";
    const ending = new AbortController();
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        ...(path.startsWith("/v1/console") ? {} : { authorization: `Bearer ${OPERATOR_TOKEN}` }),
        ...(operation.requestBody === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(operation.requestBody === undefined ? {} : { body: "{}" }),
      redirect: "manual",
      signal: ending.signal,
    });
    const documented = Object.keys(operation.responses).includes(String(response.status));
    const routed = allowed.split(/, */).includes(method.toUpperCase());
    if (!routed || !documented) wrong.push([method, path, allowed, response.status]);
    ending.abort();
  }
  expect(routes.length).toBeGreaterThan(80);
  expect(wrong).toEqual([]);
});
