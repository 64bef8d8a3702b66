import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { freshEnvironment, startServer } from "../harness.ts";
import { selling } from "../selling/selling.ts";

test("an agent finds out where to register from every document and from a tool that needs a mandate", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const at = selling(server);
  const shop = await at.shop();
  const { site_key: key, site_key_hash: hash } = shop;
  const text = async (path: string, accept = "*/*") =>
    (await fetch(server.url + path, { headers: { accept } })).text();
  const { site } = JSON.parse(await text(`/v1/agent-card/${key}.json`));
  const address: string = site.registration_url;
  const documents = [
    await text(`/v1/llms/${hash}.txt`),
    await text(`/v1/agent/${hash}`, "text/html"),
    await text(`/v1/agent/${hash}`, "text/markdown"),
  ];
  for (const document of documents) {
    expect(document).toContain(address);
    expect(document).toContain(site.registration_guide_url);
  }
  const { result } = await at.call(shop, { items: [{ id: "rose", quantity: 1 }] });
  const { register } = result.structuredContent;
  expect([register.url, register.docs_url]).toEqual([address, site.registration_guide_url]);
  const { kty, crv, x } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
  const here = server.url + new URL(register.url).pathname;
  const answer = await fetch(here, {
    method: register.method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jwk: { kty, crv, x } }),
  });
  expect(await answer.json()).toMatchObject({
    challenge: expect.any(String),
    audience: expect.any(String),
  });
  expect(await text(new URL(register.docs_url).pathname)).toContain("## Register a key");
});
