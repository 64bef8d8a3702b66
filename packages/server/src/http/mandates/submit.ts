import { hash } from "node:crypto";
import {
  isSiteKey,
  type JsonValue,
  MANDATE_BYTES_MAX,
  parseJson,
  signTagged,
} from "@gatehouse/protocol";
import { type MandateSite, siteForMandates } from "../../actions/mandates/find-site.js";
import { submitMandate } from "../../actions/mandates/submit.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { problemOf } from "../server/errors.js";
import type { Exchange, Handler } from "../server/exchange.js";
import { readJsonBytes } from "../server/json-body.js";
import {
  answerOf,
  type MandateAnswer,
  mandateRefusal,
  renderMandateAnswer,
} from "../server/mandate-answer.js";
import { Problem } from "../server/problem.js";
import { parseBody, requireNoWaiting } from "./request.js";

/** The request, as a receipt shows it. */
interface Submission {
  readonly siteKey: string;
  /** Null if the body was not read to its end. */
  bytes: Uint8Array | null;
}

/** Parses the body. A site that takes no mandates gives the same refusal for every body. */
function bodyFor(to: MandateSite, bytes: Uint8Array): JsonValue {
  if (to.kind === "deleted" || to.site.status === "verified") return parseBody(bytes);
  const parsed = parseJson(bytes);
  if (!parsed.ok) throw new Problem("mandates_disabled");
  return parsed.value;
}

async function submit(
  context: Context,
  exchange: Exchange,
  submission: Submission,
): Promise<MandateAnswer> {
  const { request, requestId, caller } = exchange;
  // First, so that trying unknown keys costs no more database reads than this rate.
  requireNoWaiting(context, exchange);
  const to = await siteForMandates(context, submission.siteKey);
  if (to === undefined) throw new Problem("site_not_found");
  submission.bytes = await readJsonBytes(context, request, MANDATE_BYTES_MAX);
  const body = bodyFor(to, submission.bytes);
  const submitted = await submitMandate(context, to, body, { requestId, caller });
  return answerOf(context.config.baseUrl, submitted);
}

/** Whether a client asks for a receipt (RFC 7240). */
function wantsReceipt(prefer: string | undefined): boolean {
  return /(?:^|[\s,;])return=receipt(?:[\s,;]|$)/i.test(prefer ?? "");
}

/**
 * An answer with a signed receipt: what was sent, what was answered and when, by the key that signs the
 * audit log. Its holder can prove the answer to anybody.
 */
async function withReceipt(
  { audit, clock }: Context,
  { siteKey, bytes }: Submission,
  { status, body, headers }: MandateAnswer,
): Promise<MandateAnswer> {
  const { signer } = await audit.key();
  const signed = {
    v: 1,
    type: "receipt",
    site_key: siteKey,
    issued_at: isoTime(clock.now()),
    request_sha256: bytes === null ? null : hash("sha256", bytes, "hex"),
    status,
    answer: body,
  };
  const signature = await signTagged("receipt", signed, signer);
  const receipt = { signed, envelope: { alg: "EdDSA", kid: signer.kid, signature } };
  const applied = { "preference-applied": "return=receipt" };
  return { status, body: { ...body, receipt }, headers: { ...headers, ...applied } };
}

/** `POST /v1/m/{site_key}/mandate`: a signed request of an agent, decided by the site's rules. */
export function submitHandler(context: Context): Handler {
  return async (exchange) => {
    const submission: Submission = { siteKey: exchange.param("site"), bytes: null };
    const answer = submit(context, exchange, submission);
    // A receipt names the site, and the audit key signs nobody's text as a site.
    if (!wantsReceipt(exchange.header("prefer")) || !isSiteKey(submission.siteKey)) {
      return renderMandateAnswer(exchange, await answer);
    }
    // Refusals have receipts too. If a receipt cannot be signed, the decision stands, and the agent gets it
    // by sending the same bytes again.
    const answered = await answer.catch((error: unknown) =>
      mandateRefusal(problemOf(context, exchange, error), context.config.baseUrl),
    );
    return renderMandateAnswer(exchange, await withReceipt(context, submission, answered));
  };
}
