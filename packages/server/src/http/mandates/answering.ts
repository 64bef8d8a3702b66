import {
  type JsonValue,
  MANDATE_BYTES_MAX,
  parseJson,
  REQUEST_ID_HEADER,
} from "@gatehouse/protocol";
import type { Context as HonoContext } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/find.js";
import type { Site } from "../../domain/sites/site.js";
import type { Caller } from "../server/admission/caller.js";
import { readJsonBytes, UNREAD_REST } from "../server/body.js";
import type { HttpEnv } from "../server/env.js";
import { type MandateAnswer, refusedAnswer } from "../server/mandate-answer.js";
import { Problem } from "../server/problem.js";
import { MandateRefusal } from "./refusal.js";

/** What a caller may have echoed: visible ASCII, and not too much of it. */
const ECHOED = /^[!-~]{1,128}$/;

type C = HonoContext<HttpEnv>;

/** The id a caller gave its request, as a header of the answer. */
export function echoedId(sent = ""): Readonly<Record<string, string>> {
  return ECHOED.test(sent) ? { [REQUEST_ID_HEADER]: sent } : {};
}

/** Gives a body of this door with the headers all of them have. */
export function answer(
  c: C,
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const echoed = echoedId(c.req.header(REQUEST_ID_HEADER));
  for (const [name, value] of Object.entries({ ...echoed, ...headers })) c.header(name, value);
  return c.json(body, status as ContentfulStatusCode);
}

function refusalOf(error: unknown): MandateRefusal {
  if (error instanceof MandateRefusal) return error;
  // Whatever went wrong: a check could not complete, so nothing is approved.
  if (!(error instanceof Problem)) return new MandateRefusal("unavailable");
  const { code, headers, message } = error;
  // A body that was cut short or is no JSON has the contract's own word.
  const reason = code === "invalid_request" ? "malformed" : code;
  return new MandateRefusal(reason, {
    message: error.message === "" ? undefined : message,
    headers,
  });
}

/** The answer to what a route of this door has thrown. */
export function refusedBy(
  { config, log }: Context,
  error: unknown,
  requestId: string,
): MandateAnswer {
  const { reason, message, headers, about } = refusalOf(error);
  if (reason === "unavailable") log.error({ request_id: requestId, error }, "mandates.unavailable");
  return refusedAnswer(config.baseUrl, reason, { message, headers, about });
}

/** Runs a route; whatever it refuses is answered with an `outcome`. */
export function answering(
  context: Context,
  route: (c: C) => Promise<Response>,
): (c: C) => Promise<Response> {
  return async (c) => {
    try {
      return await route(c);
    } catch (error) {
      const { status, body, headers } = refusedBy(context, error, c.get("requestId"));
      return answer(c, status, body, headers);
    }
  };
}

/** Refuses a body that is not JSON; a site that takes no mandates refuses it as it refuses all. */
export function bodyFor({ status }: Site, bytes: Uint8Array): JsonValue {
  if (status === "verified") return parseBody(bytes);
  const parsed = parseJson(bytes);
  if (!parsed.ok) throw new MandateRefusal("mandates_disabled");
  return parsed.value;
}

/** Only verified sites deal with agents. */
function requireVerified(site: Site | undefined): Site {
  if (site === undefined) throw new MandateRefusal("site_not_found");
  if (site.status !== "verified") throw new MandateRefusal("mandates_disabled");
  return site;
}

/**
 * The site a path names by its key. The caller's rate is checked first, so that trying unknown keys
 * costs no database reads beyond that rate.
 */
export async function requireMandateSite(context: Context, c: C): Promise<Site> {
  requirePassage(context, c.get("caller"));
  return requireVerified(await findSite(context.db, c.req.param("site") ?? "", "key"));
}

/** The same for requests that began earlier: they go on even if the domain is no longer verified. */
export async function requireKnownSite(context: Context, c: C): Promise<Site> {
  requirePassage(context, c.get("caller"));
  const site = await findSite(context.db, c.req.param("site") ?? "", "key");
  if (site === undefined) throw new MandateRefusal("site_not_found");
  return site;
}

/** The same for routes that only tell: undefined where there is none. */
export async function findMandateSite({ db }: Context, c: C): Promise<Site | undefined> {
  const site = await findSite(db, c.req.param("site") ?? "", "key");
  return site?.status === "verified" ? site : undefined;
}

/** Refuses a caller who has to wait; the rest of its request is not read. */
export function requirePassage({ admission }: Context, caller: Caller): void {
  if (admission.takeCostly(caller) === 0) return;
  throw new MandateRefusal("rate_limited", { headers: UNREAD_REST });
}

/** Strict JSON, or the refusal that the contract names for anything else. */
export function parseBody(bytes: Uint8Array): JsonValue {
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    throw new MandateRefusal("malformed", {
      message: `The body is not strict JSON: ${parsed.detail}.`,
    });
  }
  return parsed.value;
}

/** A body. Its sender was admitted before the site was looked up. */
export async function readBody(context: Context, c: C): Promise<JsonValue> {
  const bytes = await readJsonBytes(context, c.env.incoming, MANDATE_BYTES_MAX);
  return parseBody(bytes);
}
