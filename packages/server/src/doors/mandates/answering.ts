import {
  type JsonValue,
  MANDATE_BYTES_MAX,
  parseJson,
  REQUEST_ID_HEADER,
} from "@gatehouse/protocol";
import type { Context as HonoContext } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Context } from "../../context.js";
import { findSite } from "../../owners/sites/find.js";
import type { Site } from "../../owners/sites/site.js";
import { readJsonBytes } from "../../platform/http/body.js";
import { limitKey } from "../../platform/http/connection.js";
import type { HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";
import { refusedAnswer } from "../mandate-answer.js";
import { noteBody } from "./receipts.js";
import { MandateRefusal } from "./refusal.js";

/** What a caller may have echoed: visible ASCII, and not too much of it. */
const ECHOED = /^[!-~]{1,128}$/;

type C = HonoContext<HttpEnv>;

/** Gives a body of this door with the headers all of them have. */
export function answer(
  c: C,
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const sent = c.req.header(REQUEST_ID_HEADER) ?? "";
  if (ECHOED.test(sent)) c.header(REQUEST_ID_HEADER, sent);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
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

/** Runs a route; whatever it refuses is answered with an `outcome`. */
export function answering(
  { config, log }: Context,
  route: (c: C) => Promise<Response>,
): (c: C) => Promise<Response> {
  return async (c) => {
    try {
      return await route(c);
    } catch (error) {
      const { reason, message, headers, about } = refusalOf(error);
      if (reason === "unavailable") {
        log.error({ request_id: c.get("requestId"), error }, "mandates.unavailable");
      }
      const refused = refusedAnswer(config.baseUrl, reason, { message, headers, about });
      return answer(c, refused.status, refused.body, refused.headers);
    }
  };
}

/** The site a path names by its key; only verified sites deal with agents. */
export async function requireMandateSite({ db }: Context, c: C): Promise<Site> {
  const site = await findSite(db, c.req.param("site") ?? "", "key");
  if (site === undefined) throw new MandateRefusal("site_not_found");
  if (site.status !== "verified") throw new MandateRefusal("mandates_disabled");
  return site;
}

/** The same for routes that only tell: undefined where there is none. */
export async function findMandateSite({ db }: Context, c: C): Promise<Site | undefined> {
  const site = await findSite(db, c.req.param("site") ?? "", "key");
  return site?.status === "verified" ? site : undefined;
}

/** A body, in the order of the contract: size, type, source, parse. */
export async function readBody({ clock, sources }: Context, c: C): Promise<JsonValue> {
  const bytes = await readJsonBytes(c.req.raw, MANDATE_BYTES_MAX, clock);
  noteBody(c.req.raw, bytes);
  const waitMs = sources.take(limitKey(c.get("connection").address), clock.now());
  if (waitMs > 0) {
    const wait = String(Math.ceil(waitMs / 1000));
    throw new MandateRefusal("rate_limited", { headers: { "retry-after": wait } });
  }
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    throw new MandateRefusal("malformed", {
      message: `The body is not strict JSON: ${parsed.detail}.`,
    });
  }
  return parsed.value;
}
