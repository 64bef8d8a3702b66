import { createHash, createPublicKey, type KeyObject, verify as verifyNow } from "node:crypto";
import { type Ed25519Jwk, exportVerifier, type Verify } from "@gatehouse/protocol";
import { DAY_MS } from "../src/infra/time.ts";
import type { SimulatedAnswer } from "./requests.ts";
import { adminRequest } from "./shop.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const INVARIANT = "the log verifies and replays";

/** Node's own crypto: the same answers as Web Crypto, sooner. */
const publicKeys = new Map<string, KeyObject>();
const verify: Verify = (jwk, message, signature) => {
  const key = publicKeys.get(jwk.x) ?? createPublicKey({ key: { ...jwk }, format: "jwk" });
  publicKeys.set(jwk.x, key);
  return signature.length === 64 && verifyNow(null, message, key, signature);
};
const hash = (data: Uint8Array | string) => createHash("sha256").update(data).digest();

async function answered(
  { node }: World,
  request: Parameters<World["send"]>[0],
): Promise<SimulatedAnswer> {
  const [answer] = await node.until([node.send(request)]);
  if (answer?.status === 200) return answer;
  throw new Violation(INVARIANT, `${request.url} answers ${answer?.status} ${answer?.text}`);
}

/** Exports every day of the log, and verifies it as an outsider would, with every decision decided again. */
export async function checkLog(world: World): Promise<void> {
  const path = `/sites/${world.shop.hash}/audit`;
  const published = await answered(world, { method: "GET", url: "/.well-known/audit-jwks.json" });
  const listed: (Ed25519Jwk & { kid: string })[] = published.body.keys;
  const keys = new Map(listed.map(({ kid, kty, crv, x }) => [kid, { kty, crv, x }]));
  const verifier = exportVerifier({ keys, pins: [], replay: true, verify, hash });
  const { body } = await answered(world, adminRequest("GET", `${path}/logs`));
  if (body.items.length !== 1)
    throw new Violation(INVARIANT, `there are ${body.items.length} logs`);
  const { first_day, last_day } = body.items[0];
  for (let ms = Date.parse(first_day); ms <= Date.parse(last_day); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 10);
    let next: string | undefined = `/v1/admin${path}/exports?day=${day}`;
    while (next !== undefined) {
      const part: SimulatedAnswer = await answered(world, {
        ...adminRequest("GET", ""),
        url: next,
      });
      const added = await verifier.add(part.text);
      if (!added.ok) throw new Violation(INVARIANT, added.detail);
      next = /<([^>]+)>; rel="next"/.exec(part.headers.link ?? "")?.[1];
    }
  }
  const { findings } = await verifier.report();
  if (findings.length > 0) throw new Violation(INVARIANT, JSON.stringify(findings.slice(0, 3)));
}
