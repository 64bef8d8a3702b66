import { beforeAll, expect, test } from "vitest";
import {
  AgentError,
  type AgentKey,
  agentStatus,
  generateAgentKey,
  openAgentKey,
  register,
} from "../src/index.ts";
import { listen } from "./listening.ts";

let key: AgentKey;
beforeAll(async () => {
  key = await openAgentKey(await generateAgentKey());
});

/** A site that answers a registration, and every question after it, as it likes. */
async function siteAnswering(body: object) {
  const port = await listen((request, response) => {
    const challenge = request.url?.endsWith("/challenge") === true;
    response.writeHead(challenge || request.method === "GET" ? 200 : 202);
    response.end(JSON.stringify(challenge ? { challenge: "c", audience: "a" } : body));
  });
  return { siteKey: "us_x", mandateUrl: `http://127.0.0.1:${port}/v1/m/us_x/mandate` };
}

const agentId = `agt_${"a".repeat(24)}`;
const good = () => ({ agent_id: agentId, kid: key.kid, status: "pending" });

test("a correct answer of a site is accepted", async () => {
  const site = await siteAnswering(good());
  const registered = { agentId, kid: key.kid, status: "pending" };
  expect(await register(site, key, { name: "Buyer" })).toEqual(registered);
  expect(await agentStatus(site, agentId)).toBe("pending");
});

test.each([
  ["an invalid id", { agent_id: "agt_\u001b[2J" }, /an invalid agent id/],
  ["an id that is not a string", { agent_id: 7 }, /an invalid agent id/],
  ["another key", { kid: "other" }, /a different key/],
  ["an unknown status", { status: "\u001b]0;owned" }, /an unknown agent status/],
  ["a missing status", { status: undefined }, /an unknown agent status/],
])("%s in the answer to a registration is refused", async (_what, change, says) => {
  const site = await siteAnswering({ ...good(), ...change });
  const error = await register(site, key, { name: "Buyer" }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(AgentError);
  expect(error.message).toMatch(says);
});

test("an unknown status is also refused when the agent asks for its status", async () => {
  const site = await siteAnswering({ agent_id: agentId, status: "king" });
  await expect(agentStatus(site, agentId)).rejects.toThrow(AgentError);
});
