/** Reads the answers of a shop and checks them. Nothing here is the code of the shop. */
import { createHash, createPublicKey } from "node:crypto";
import canonicalize from "canonicalize";
import { createVerifier, httpbis } from "http-message-signatures";
import { createLocalJWKSet, flattenedVerify } from "jose";

/** The purchase ends, and nobody made a mistake. */
export class Ended extends Error {}

export class NotAsPromised extends Error {}

/** The shop refused the call and gave the reason. The mistake may be ours. */
export class Refused extends Error {}

export function must(holds, what) {
  if (!holds) throw new NotAsPromised(what);
}

export async function json(url) {
  const answer = await fetch(url, { redirect: "error" });
  must(answer.status === 200, `${url} answers with ${answer.status}`);
  return answer.json();
}

/** The shop behind an agent card, if one is: its profile, and the key set its terms are signed with. */
export async function findShop(cardUrl) {
  const card = await json(cardUrl);
  const { domain, ucp_profile_url, jwks_url } = card.site ?? {};
  if (typeof ucp_profile_url !== "string") return undefined;
  const profile = await json(ucp_profile_url);
  const services = profile.ucp.services["dev.ucp.shopping"];
  const endpoint = (transport) => services.find((one) => one.transport === transport)?.endpoint;
  must(endpoint("rest"), "the profile has no address to call");
  return {
    profile,
    profileUrl: ucp_profile_url,
    // Webhooks name the profile on the shop's own domain, where it is served there.
    ownProfileUrl: `${new URL(ucp_profile_url).protocol}//${domain}/.well-known/ucp`,
    keySet: await json(jwks_url),
    name: card.name,
    card,
    rest: endpoint("rest"),
    mcp: endpoint("mcp"),
  };
}

/** Finds a key of a shop's profile. */
export function keyLookupOf({ keys }) {
  return async ({ keyid }) => {
    const jwk = keys.find(({ kid }) => kid === keyid);
    if (jwk === undefined) return null;
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const verify = createVerifier(key, "ecdsa-p256-sha256");
    return { id: keyid, algs: ["ecdsa-p256-sha256"], verify };
  };
}

/** Reads an answer, and checks that it is signed with a key of the shop's profile. */
export async function readSigned({ profile }, answer) {
  const text = await answer.text();
  const digest = `sha-256=:${createHash("sha256").update(text).digest("base64")}:`;
  must(answer.headers.get("content-digest") === digest, "the body is not what was signed");
  const keyLookup = keyLookupOf(profile);
  const verified = await httpbis.verifyMessage(
    { keyLookup, requiredFields: ["@status", "content-digest", "content-type"] },
    { status: answer.status, headers: Object.fromEntries(answer.headers) },
  );
  must(verified === true, "the answer is not signed by the shop");
  const body = JSON.parse(text);
  if (answer.status >= 300) throw new Refused(`${body.code}: ${body.content}`);
  return body;
}

/** The terms a buyer agrees to: signed, and the very text that was signed. */
export async function checkTerms({ keySet }, { policies }) {
  const entry = policies?.find(({ type }) => type === "dev.gatehouse.policy.site_terms");
  must(entry !== undefined, "the checkout has no terms");
  const { signature, ...signed } = entry;
  const [header, , mac] = signature.split(".");
  const payload = Buffer.from(canonicalize(signed)).toString("base64url");
  await flattenedVerify({ protected: header, payload, signature: mac }, createLocalJWKSet(keySet));
  const text = Buffer.from(await (await fetch(entry.url)).arrayBuffer());
  const digest = createHash("sha256").update(text).digest("hex");
  must(digest === entry.sha256, "the terms are not the signed ones");
  return entry.version;
}

/** UCP: everything but the total adds up to it. */
export function checkTotals({ totals }) {
  const sum = totals
    .filter(({ type }) => type !== "total")
    .reduce((all, one) => all + one.amount, 0);
  const total = totals.find(({ type }) => type === "total")?.amount;
  must(sum === total, `the totals do not add up: ${sum} is not ${total}`);
  return total;
}
