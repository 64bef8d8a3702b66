import { isJsonObject, type JsonObject, parseJson, type UcpCapability } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { findSite } from "../../owners/sites/find.js";
import { sells } from "../../owners/sites/gates.js";
import type { Site } from "../../owners/sites/site.js";
import { readJsonBytes } from "../../platform/http/body.js";
import { limitKey } from "../../platform/http/connection.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";
import { answerPending } from "../pending.js";
import { errorAnswer, sendSigned, type UcpBody } from "./answer.js";
import { callerOf } from "./caller.js";
import { getProduct, lookUpCatalog, searchCatalog } from "./catalog.js";
import { UcpProblem } from "./fault.js";
import { PlatformProfiles } from "./platform-profiles.js";

const BODY_BYTES_MAX = 128 * 1024;

type C = HonoContext<HttpEnv>;
type Operation = (context: Context, site: Site, body: JsonObject) => Promise<UcpBody>;

/** What a platform calls, and what both must be able to do for it. */
const OPERATIONS: readonly {
  readonly path: string;
  readonly capability: UcpCapability;
  readonly run: Operation;
}[] = [
  {
    path: "/catalog/search",
    capability: "dev.ucp.shopping.catalog.search",
    run: searchCatalog,
  },
  {
    path: "/catalog/lookup",
    capability: "dev.ucp.shopping.catalog.lookup",
    run: lookUpCatalog,
  },
  {
    path: "/catalog/product",
    capability: "dev.ucp.shopping.catalog.lookup",
    run: getProduct,
  },
];

function takeFromSource({ clock, sources }: Context, c: C): void {
  const waitMs = sources.take(limitKey(c.get("connection").address), clock.now());
  if (waitMs === 0) return;
  const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
  throw new UcpProblem("rate_limited", "Too many requests. See Retry-After.", { headers });
}

function objectOf(bytes: Uint8Array): JsonObject {
  const parsed = parseJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const why = parsed.ok ? "it is not an object" : parsed.detail;
  throw new UcpProblem("invalid_request", `The body is not strict JSON: ${why}.`);
}

/** Problems of every door, in the shape UCP has for what is wrong with a call. */
function asUcp(error: unknown): UcpProblem {
  if (error instanceof UcpProblem) return error;
  if (!(error instanceof Problem)) throw error;
  const { code, message, status, headers } = error;
  return new UcpProblem(code, message, { status, headers });
}

/** The shop's side of UCP: `/v1/ucp/{site_key_hash}`. Its profile is a document of discovery. */
export function ucpDoor(context: Context): Door {
  const routes = new OpenAPIHono<HttpEnv>();
  const profiles = new PlatformProfiles(context);
  const { clock, db } = context;

  async function operate(c: C, site: Site, operation: (typeof OPERATIONS)[number]) {
    const bytes = await readJsonBytes(c.req.raw, BODY_BYTES_MAX, clock);
    const { capabilities } = await callerOf(context, profiles, c, bytes);
    const body = objectOf(bytes);
    if (!sells(site) || !capabilities.includes(operation.capability)) {
      const content = "This shop and your platform have nothing in common for this operation.";
      return errorAnswer("capabilities_incompatible", content);
    }
    return operation.run(context, site, body);
  }

  for (const operation of OPERATIONS) {
    routes.post(`/v1/ucp/:site${operation.path}`, async (c) => {
      const site = await findSite(db, c.req.param("site") ?? "", "hash");
      if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
      if (site.status !== "verified") return answerPending(c, context, site.domain);
      let answer: UcpBody;
      try {
        takeFromSource(context, c);
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
