/** What agents read of a site, how they know that it is true, and what they call. */
import {
  canonicalBytes,
  generateEd25519,
  signTagged,
  verifyCard,
  verifyTagged,
} from "@gatehouse/protocol";
import { command, expect, say } from "./stage.js";

export async function walkSignatures() {
  const { signer, jwk } = await generateEd25519("demo-agent");
  const mandate = { v: 1, mandate_id: "demo-0123456789abcdef", skill: "get_pricing" };
  const signature = await signTagged("mandate", mandate, signer);
  const holds = await verifyTagged("mandate", mandate, signature, jwk);
  const moved = await verifyTagged("receipt", mandate, signature, jwk);
  const changed = await verifyTagged(
    "mandate",
    { ...mandate, skill: "place_order" },
    signature,
    jwk,
  );
  expect(holds && !moved && !changed, "a signature that holds for its own message only");
  say(
    "an agent's signature is valid for its message only, not for a changed one or another purpose",
  );
}

/** What agents read: one list of skills, in every form they look for. */
export async function walkDiscovery(ask, url, site) {
  const skills = [
    { id: "get_pricing", enabled: true, url: "https://fernandpetal.example/prices" },
    { id: "contact_support", enabled: true, url: "https://fernandpetal.example/help" },
    {
      id: "track_delivery",
      enabled: true,
      url: "https://fernandpetal.example/track",
      title: "Track a delivery",
      description: "See where a bouquet is.",
    },
  ];
  const path = `/v1/admin/sites/${site.site_key_hash}/skills`;
  const set = await ask("PUT", path, { skills });
  expect(set.status === 200 && set.body.live.length === 3, "three live skills");
  say(`the owner offers ${set.body.live.join(", ")}`);
  const read = async (address) => (await fetch(address)).text();
  const card = JSON.parse(await read(`${url}/v1/agent-card/${site.site_key}.json`));
  const { catalog_url, llms_url, agent_page_url } = card.site;
  for (const address of [catalog_url, llms_url, agent_page_url]) {
    const text = await read(address);
    expect(
      card.skills.every(({ name }) => text.includes(name)),
      `every skill at ${address}`,
    );
  }
  say("card, catalog, llms.txt and agent page list the same skills; look at the page:");
  console.log(`      ${agent_page_url}`);
  const redirect = await fetch(`${url}/v1/agent/domain/${site.domain}`, { redirect: "manual" });
  expect(redirect.headers.get("location") === agent_page_url, "the page to be found by the domain");
  return card;
}

export async function walkVerification(env, card) {
  const { keys } = await (await fetch(card.site.jwks_url)).json();
  const findKey = (kid) => keys.find((key) => key.kid === kid);
  const verdict = async (one) => verifyCard(canonicalBytes(one), { findKey, now: Date.now() });
  expect((await verdict(card)).ok, "the card to verify");
  const forged = { ...card, site: { ...card.site, service_endpoint: "https://evil.example/" } };
  const refused = (await verdict(forged)).checks.find(({ ok }) => !ok);
  expect(refused !== undefined, "a forged card to be refused");
  say(`an agent verified the card with the public keys; a forged card fails: ${refused.text}`);
  const address = `${new URL(card.site.jwks_url).origin}/v1/agent-card/${card.site.site_key}.json`;
  say("`gatehouse verify` shows each check:");
  const lines = (await command(env, "verify", address)).trim().split("\n");
  for (const line of lines) console.log(`      ${line}`);
}

/** What an agent does with it: connect to the address in the card, and call a tool. */
export async function walkMcp(env, card) {
  let session = {};
  const rpc = async (method, params = {}) => {
    const response = await fetch(card.site.mcp_endpoint, {
      method: "POST",
      headers: { "content-type": "application/json", ...session },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const id = response.headers.get("mcp-session-id");
    if (id !== null) session = { "mcp-session-id": id };
    return response.json();
  };
  const { result: server } = await rpc("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "demo-agent", version: "1" },
  });
  const { tools } = (await rpc("tools/list")).result;
  const names = (list, member) => list.map((one) => one[member]).join(", ");
  expect(names(tools, "name") === names(card.skills, "id"), "the card's skills as tools");
  say(`an agent connected over MCP to “${server.serverInfo.title}” and found its skills as tools`);
  const { result } = await rpc("tools/call", {
    name: "get_pricing",
    arguments: { question: "What does a bouquet cost?" },
  });
  expect(result.structuredContent.url === card.skills[0].url, "the page that answers");
  say(`it called get_pricing: “${result.content[0].text}”`);
  const { error } = await rpc("tools/call", { name: "place_order", arguments: {} });
  expect(error.code === -32602, "a tool that is not offered to be refused");
  const tail = await command(env, "audit", "tail", card.site.domain);
  const calls = tail.split("\n").filter((line) => line.includes("mcp.tools_call"));
  expect(calls.length === 2, "both calls in the log");
  say("this call, and a call of a tool that the shop does not offer, are already in the log:");
  for (const line of calls) console.log(`      ${line}`);
}
