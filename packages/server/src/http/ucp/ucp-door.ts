import { isJsonObject, type JsonObject, parseJson } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/find.js";
import type { Site } from "../../domain/sites/site.js";
import { readJsonBytes } from "../server/body.js";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { answerPending } from "../server/pending.js";
import { Problem } from "../server/problem.js";
import { sendPlain, sendSigned, type UcpBody } from "./answer.js";
import { callerOf } from "./caller.js";
import { asUcp, UcpProblem } from "./fault.js";
import type { Operation } from "./operation.js";
import { pagesDoor } from "./page.js";
import { OPERATIONS, tooMany, type UcpService } from "./service.js";
import { termsRoute } from "./terms.js";

const BODY_BYTES_MAX = 128 * 1024;

type C = HonoContext<HttpEnv>;

/** A body that is not there says nothing; what must be there is asked for by each operation. */
function objectOf(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const parsed = parseJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const why = parsed.ok ? "it is not an object" : parsed.detail;
  throw new UcpProblem("invalid_request", `The body is not strict JSON: ${why}.`);
}

function refusalOf({ code, message: content, status, headers }: UcpProblem): UcpBody {
  return { status, body: { code, content }, headers };
}

/** All of `/v1/ucp/{site_key_hash}`: what platforms ask, and the pages of their buyers. */
export function ucpDoors(context: Context, desk: UcpService): readonly HonoGroup[] {
  return [ucpDoor(context, desk), pagesDoor(context)];
}

/** The shop's side of UCP over REST. Its profile is a document of discovery. */
function ucpDoor(context: Context, desk: UcpService): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();
  termsRoute(routes, context);
  const { admission, db } = context;

  async function operate(c: C, site: Site, operation: Operation): Promise<UcpBody> {
    // A call without a profile is refused before its body is read.
    desk.profileNamed(c.req.header("ucp-agent"));
    const bytes = await readJsonBytes(context, c.env.incoming, BODY_BYTES_MAX);
    const caller = await callerOf(context, desk, c, bytes);
    const body = objectOf(bytes);
    return desk.operate(operation, {
      site,
      caller,
      id: c.req.param("id") ?? "",
      body,
      requestId: c.get("requestId"),
      key: c.req.header("idempotency-key"),
      path: c.req.path,
      bytes,
      client: c.get("caller"),
    });
  }

  for (const operation of OPERATIONS) {
    routes.on(operation.method.toUpperCase(), `/v1/ucp/:site${operation.path}`, async (c) => {
      const waitMs = admission.takeCostly(c.get("caller"));
      // A caller who has to wait costs no lookup and no signature.
      if (waitMs > 0) return sendPlain(c, refusalOf(tooMany(waitMs)));
      const site = await findSite(db, c.req.param("site") ?? "", "hash");
      if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
      if (site.status !== "verified" && !operation.whilePending) {
        return answerPending(c, context, site.domain);
      }
      // Before anything is done: a site that is deleted meanwhile has no key to answer with.
      const signer = await context.siteKeys.signer(site.siteKeyHash);
      let answer: UcpBody;
      try {
        answer = await operate(c, site, operation);
      } catch (error) {
        answer = refusalOf(asUcp(error));
      }
      return sendSigned(context, c, signer, answer);
    });
  }
  return { name: "ucp", cors: "open", routes };
}
