/** A site is taken on, its domain proven, and who may do what with it. */
import { expect, say } from "./stage.js";

export async function walkSites(ask, shop) {
  const created = await ask("POST", "/v1/admin/sites", {
    domain: shop.domain,
    name: "Fern & Petal",
  });
  expect(created.status === 201 && created.body.status === "pending", "a new, pending site");
  const site = created.body;
  say(`added the flower shop: ${site.site_key}; ${shop.domain} is not verified yet`);
  const verify = `/v1/admin/sites/${site.site_key_hash}/verify`;
  const early = await ask("POST", verify, { method: "file" });
  expect(early.status === 422, "verification to fail without proof");
  say(`verification without proof is refused: “${early.body.message}”`);
  shop.pages.set("/.well-known/gatehouse-verification.txt", site.verification.token);
  const verified = await ask("POST", verify, { method: "file" });
  expect(verified.body.status === "verified", "the domain to be verified");
  say("the shop published the token, and Gatehouse found it: the domain is verified");
  return site;
}

export async function walkAccess(ask, site) {
  const tokens = `/v1/admin/sites/${site.site_key_hash}/tokens`;
  const reviewer = (await ask("POST", tokens, { name: "Robin", role: "reviewer" })).body.token;
  const path = `/v1/admin/sites/${site.site_key_hash}`;
  const seen = await ask("GET", path, undefined, reviewer);
  const denied = await ask("PATCH", path, { name: "Mine now" }, reviewer);
  expect(seen.status === 200 && denied.status === 403, "a reviewer to read but not to change");
  say(`a reviewer's token can read the site but not change it: “${denied.body.message}”`);
  const twice = await ask(
    "POST",
    "/v1/admin/sites",
    '{"domain":"a.example.com","domain":"b.example.com"}',
  );
  expect(twice.status === 400, "a duplicate key to be refused");
  say(`a body that two parsers could read differently is refused: “${twice.body.message}”`);
}
