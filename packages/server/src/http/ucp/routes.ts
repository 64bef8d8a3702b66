import { isJsonObject, type JsonObject, parseJson } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import { UNREAD_REST } from "../server/body.js";
import { pendingAnswer } from "../server/errors.js";
import { type Answer, type Exchange, type RouteGroup, signedRequest } from "../server/exchange.js";
import { readJsonBytes } from "../server/json-body.js";
import { NO_SITE, requireFound, requireNoWait } from "../server/problem.js";
import { signAnswer, type UcpAnswer } from "./answer.js";
import { negotiateWith, profileUrlIn, proveRestCaller } from "./caller.js";
import { credentialIn } from "./credentials.js";
import { invalid, problemAnswer, refusalIn, renderUcpError } from "./errors.js";
import type { Operation } from "./operation.js";
import { pageRoutes } from "./pages/routes.js";
import { OPERATIONS, performOperation } from "./perform.js";
import type { PlatformProfiles } from "./platform-profiles.js";
import { termsRoute } from "./terms.js";
import { tokenRoute } from "./token.js";

const BODY_BYTES_MAX = 128 * 1024;

/** All of `/v1/ucp/{site_key_hash}`: what platforms call, and the pages of their buyers. */
export function ucpGroups(context: Context, profiles: PlatformProfiles): readonly RouteGroup[] {
  const operations = OPERATIONS.flatMap((operation) =>
    operation.paths.map((path) => ({
      method: operation.method,
      path: `/v1/ucp/:site${path}`,
      handle: (exchange: Exchange) => answerPlatform(context, profiles, operation, exchange),
      renderError: renderUcpError,
    })),
  );
  return [
    { name: "ucp", cors: "open", routes: [termsRoute(context), ...operations] },
    // No page of a browser asks for a token, so none may read the answer.
    { name: "ucp-tokens", cors: "none", routes: [tokenRoute(context)] },
    { name: "pages", cors: "none", routes: pageRoutes(context) },
  ];
}

/** Every answer is signed with the site's key, refusals too. */
async function answerPlatform(
  context: Context,
  profiles: PlatformProfiles,
  operation: Operation,
  exchange: Exchange,
): Promise<Answer> {
  // First, so that a caller that has to wait costs no lookup and no signature.
  requireNoWait(context.admission.takeCostly(exchange.caller), UNREAD_REST);
  const site = requireFound(await findSite(context.db, exchange.param("site"), "hash"), NO_SITE);
  if (site.status !== "verified" && !operation.whilePending) {
    return pendingAnswer(context.config.baseUrl, site.domain);
  }
  // Read first, because a site that is deleted during the call has no key any more.
  const signer = await context.siteKeys.signer(site.siteKeyHash);
  const answer = await callOperation(context, profiles, operation, exchange, site).catch(
    // The call itself was refused: no object of UCP's, so no version of one either.
    (error: unknown) => problemAnswer(refusalIn(error)),
  );
  return signAnswer(context, signer, answer, exchange.header("request-id"));
}

/** Reads a call, verifies its caller and performs it. */
async function callOperation(
  context: Context,
  profiles: PlatformProfiles,
  operation: Operation,
  exchange: Exchange,
  site: Site,
): Promise<UcpAnswer> {
  const { request, caller: client, requestId, path } = exchange;
  const agent = exchange.header("ucp-agent");
  // A call without a profile is refused before its body is read.
  profileUrlIn(agent);
  const bytes = await readJsonBytes(context, request, BODY_BYTES_MAX);
  const platform = await negotiateWith(context, profiles, agent, client);
  const { baseUrl } = context.config;
  const { pathname, search } = new URL(request.url ?? "", baseUrl);
  const proof = {
    request: signedRequest(request, { target: pathname + search, baseUrl, body: bytes }),
    credential: credentialIn(exchange),
  };
  const caller = await proveRestCaller(context, site, platform, proof, client);
  return performOperation(context, operation, {
    site,
    caller,
    id: exchange.param("id"),
    body: objectIn(bytes),
    requestId,
    client,
    idempotencyKey: exchange.header("idempotency-key"),
    path,
    bytes,
  });
}

/** The body of a call. An empty body is an empty object: each operation requires its own members. */
function objectIn(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const parsed = parseJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const fault = parsed.ok ? "it is not an object" : parsed.detail;
  throw invalid(`The body is not strict JSON: ${fault}.`);
}
