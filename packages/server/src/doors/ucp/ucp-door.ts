import { isJsonObject, type JsonObject, parseJson } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { shopSettings } from "../../owners/shop-settings/store.js";
import { findSite } from "../../owners/sites/find.js";
import { sells } from "../../owners/sites/gates.js";
import type { Site } from "../../owners/sites/site.js";
import { DatabaseUnavailableError } from "../../platform/db/database.js";
import { readJsonBytes } from "../../platform/http/body.js";
import { limitKey } from "../../platform/http/connection.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";
import { LocalLimiter } from "../../platform/rate-limit/local.js";
import { answerPending } from "../pending.js";
import { errorAnswer, sendSigned, type UcpBody } from "./answer.js";
import { callerOf } from "./caller.js";
import { CART_OPERATIONS } from "./carts.js";
import { CATALOG_OPERATIONS } from "./catalog.js";
import { CHECKOUT_OPERATIONS } from "./checkouts.js";
import { UcpProblem } from "./fault.js";
import { once, onceDecided } from "./once.js";
import type { Operation, UcpCall } from "./operation.js";
import { pagesDoor } from "./page.js";
import { PlatformProfiles } from "./platform-profiles.js";
import { termsRoute } from "./terms.js";

const BODY_BYTES_MAX = 128 * 1024;

const OPERATIONS: readonly Operation[] = [
  ...CATALOG_OPERATIONS,
  ...CART_OPERATIONS,
  ...CHECKOUT_OPERATIONS,
];

type C = HonoContext<HttpEnv>;

function nothingInCommon(): UcpBody {
  const content = "This shop and your platform have nothing in common for this operation.";
  return errorAnswer("capabilities_incompatible", content);
}

function takePlace(limiter: LocalLimiter, key: string, now: number): void {
  const waitMs = limiter.take(key, now);
  if (waitMs === 0) return;
  const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
  throw new UcpProblem("rate_limited", "Too many requests. See Retry-After.", { headers });
}

/** One operation under two addresses is one: a key of one is taken at the other. */
const nameOf = ({ method, path }: Operation) =>
  `${method} ${path.replace(/^\/checkouts/, "/checkout-sessions")}`;

/** Whoever spends has to prove who it is, unless the owner wants it otherwise. */
async function requireSigned({ db }: Context, { site, caller }: UcpCall): Promise<void> {
  if (caller.keyId !== null) return;
  if ((await shopSettings(db, site.siteKeyHash)).allowUnsigned) return;
  const content = "Sign the request (RFC 9421) with a key of the profile that `UCP-Agent` names.";
  throw new UcpProblem("signature_missing", content);
}

/** A body that is not there says nothing; what must be there is asked for by each operation. */
function objectOf(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const parsed = parseJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const why = parsed.ok ? "it is not an object" : parsed.detail;
  throw new UcpProblem("invalid_request", `The body is not strict JSON: ${why}.`);
}

const RETRY_AFTER_S = "5";
/** Carts of a site that are made or changed in a minute, whoever does it. */
const CHANGES_PER_SITE_PER_MINUTE = 600;

/** Problems of every door, in the shape UCP has for what is wrong with a call. */
function asUcp(error: unknown): UcpProblem {
  if (error instanceof UcpProblem) return error;
  if (error instanceof DatabaseUnavailableError) {
    const headers = { "retry-after": RETRY_AFTER_S };
    const content =
      "A check could not complete. Try again shortly, with the same key: nothing is done twice.";
    return new UcpProblem("unavailable", content, { status: 503, headers });
  }
  if (!(error instanceof Problem)) throw error;
  const { code, message, status, headers } = error;
  return new UcpProblem(code, message, { status, headers });
}

/** All of `/v1/ucp/{site_key_hash}`: what platforms ask, and the pages of their buyers. */
export function ucpDoors(context: Context): readonly Door[] {
  return [ucpDoor(context), pagesDoor(context)];
}

/** The shop's side of UCP. Its profile is a document of discovery. */
function ucpDoor(context: Context): Door {
  const routes = new OpenAPIHono<HttpEnv>();
  const profiles = new PlatformProfiles(context);
  const changes = new LocalLimiter({ perMinute: CHANGES_PER_SITE_PER_MINUTE });
  termsRoute(routes, context);
  const { clock, db } = context;

  async function operate(c: C, site: Site, operation: Operation): Promise<UcpBody> {
    const { capability, whileShut = false } = operation;
    const bytes = await readJsonBytes(c.req.raw, BODY_BYTES_MAX, clock);
    const caller = await callerOf(context, profiles, c, bytes);
    const signer = await context.keys.signer("card");
    const named = { id: c.req.param("id") ?? "", requestId: c.get("requestId") };
    const call = { site, caller, ...named, body: objectOf(bytes), signer };
    const open = whileShut || sells(site);
    const common = open && caller.capabilities.includes(capability);
    if ("read" in operation) return common ? operation.read(context, call) : nothingInCommon();
    const key = c.req.header("idempotency-key");
    const { siteKeyHash } = site;
    const name = nameOf(operation);
    const request = { siteKeyHash, caller, operation: name, key, path: c.req.path, bytes };
    if ("decide" in operation && operation.signed) await requireSigned(context, call);
    // What was done before is answered first, whatever has changed since.
    if ("change" in operation) {
      return once(context, request, async (tx) => {
        if (!common) return nothingInCommon();
        takePlace(changes, siteKeyHash, clock.now());
        return operation.change(context, tx, call);
      });
    }
    return onceDecided(context, request, {
      begin() {
        if (!common) return async () => ({ records: [], answer: nothingInCommon() });
        takePlace(changes, siteKeyHash, clock.now());
        return operation.decide(context, call);
      },
      look: () => operation.look(context, call),
    });
  }

  for (const operation of OPERATIONS) {
    routes.on(operation.method.toUpperCase(), `/v1/ucp/:site${operation.path}`, async (c) => {
      const site = await findSite(db, c.req.param("site") ?? "", "hash");
      if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
      if (site.status !== "verified") return answerPending(c, context, site.domain);
      let answer: UcpBody;
      try {
        takePlace(context.sources, limitKey(c.get("connection").address), clock.now());
        answer = await operate(c, site, operation);
      } catch (error) {
        const { code, message: content, status, headers } = asUcp(error);
        answer = { status, body: { code, content }, headers };
      }
      return sendSigned(context, c, site.siteKeyHash, answer);
    });
  }
  return { name: "ucp", cors: "open", routes };
}
