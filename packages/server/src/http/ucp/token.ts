import { type ClientSecret, issueAccessToken } from "../../actions/platforms/prove-credential.js";
import type { Context } from "../../context.js";
import { findSite } from "../../domain/sites/live-sites.js";
import { readBytes, UNREAD_REST } from "../server/body.js";
import { pendingAnswer } from "../server/errors.js";
import { type Answer, type Exchange, json, post, type Route } from "../server/exchange.js";
import { isUncompressed } from "../server/json-body.js";
import { NO_SITE, Problem, requireFound, requireNoWait } from "../server/problem.js";
import { type OAuthFault, readTokenRequest } from "./token-request.js";

const BODY_BYTES_MAX = 8 * 1024;
/** RFC 6749 section 5.1: nobody may keep an answer with a token in it. */
const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };
const CHALLENGE = { "www-authenticate": 'Basic realm="Gatehouse"' };

/** `POST /v1/ucp/{site_key_hash}/oauth/token`: an access token for the secret of an OAuth client (RFC 6749). */
export function tokenRoute(context: Context): Route {
  return post("/v1/ucp/:site/oauth/token", (exchange) => answerClient(context, exchange));
}

async function answerClient(context: Context, exchange: Exchange): Promise<Answer> {
  const { admission, config, db } = context;
  const { caller, request } = exchange;
  requireNoWait(admission.takeCostly(caller), UNREAD_REST);
  const site = requireFound(await findSite(db, exchange.param("site"), "hash"), NO_SITE);
  if (site.status !== "verified") return pendingAnswer(config.baseUrl, site.domain);
  if (!isUncompressed(exchange.header("content-encoding"))) {
    throw new Problem("unsupported_media_type", { headers: UNREAD_REST });
  }
  const bytes = await readBytes(context, request, BODY_BYTES_MAX);
  const authorization = exchange.header("authorization");
  const type = exchange.header("content-type");
  const wanted = readTokenRequest({ authorization, type, bytes });
  if (!wanted.ok) return fault(wanted.reason, wanted.detail, authorization);
  return issue(context, exchange, site.siteKeyHash, wanted.value);
}

async function issue(
  context: Context,
  exchange: Exchange,
  siteKeyHash: string,
  client: ClientSecret,
): Promise<Answer> {
  const { admission } = context;
  requireNoWait(admission.waitForCredential(exchange.caller, siteKeyHash));
  const issued = await issueAccessToken(context, siteKeyHash, client);
  if (!issued.ok) {
    admission.failCredential(exchange.caller, siteKeyHash);
    return fault("invalid_client", issued.detail, exchange.header("authorization"));
  }
  const { token: access_token, lifeS: expires_in } = issued.value;
  return json(200, { access_token, token_type: "Bearer", expires_in }, NO_STORE);
}

/** An error of RFC 6749 section 5.2. */
function fault(error: OAuthFault, error_description: string, authorization?: string): Answer {
  const body = { error, error_description };
  if (error !== "invalid_client") return json(400, body, NO_STORE);
  return json(401, body, authorization === undefined ? NO_STORE : { ...NO_STORE, ...CHALLENGE });
}
