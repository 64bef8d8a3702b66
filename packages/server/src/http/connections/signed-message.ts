import type { z } from "@hono/zod-openapi";
import {
  isConnection,
  type OpenedMessage,
  openMessage,
  signAnswer,
} from "../../actions/shop-connections/open-message.js";
import type { Context } from "../../context.js";
import type { LocalLimiter } from "../../infra/rate-limit/local.js";
import { UNREAD_REST } from "../server/body.js";
import type { Answer, Exchange } from "../server/exchange.js";
import { parseBody, readJsonBytes } from "../server/json-body.js";
import { Problem, requireNoWait } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { describeIssues } from "../server/validation.js";

export const MESSAGE_BYTES_MAX = 256 * 1024;
const ID_CHARS_MAX = 200;

/** A message whose signature was checked. */
export interface SignedMessage extends OpenedMessage {
  readonly bytes: Uint8Array;
}

/** The message of a shop system, or the refusal of anything else. */
export async function requireMessage(
  context: Context,
  exchange: Exchange,
  limiter: LocalLimiter,
): Promise<SignedMessage> {
  const { admission, clock } = context;
  const { caller, request } = exchange;
  const connectionId = exchange.param("connection");
  // Many shops can share the address of a host. So a message to a connection that exists counts for nobody else, and
  // only if its signature is wrong.
  const waitMs = (await isConnection(context, connectionId))
    ? admission.waitForCredential(caller, connectionId)
    : admission.takeCostly(caller);
  requireNoWait(waitMs, UNREAD_REST);
  const bytes = await readJsonBytes(context, request, MESSAGE_BYTES_MAX);
  const header = (name: string) => (exchange.header(name) ?? "").slice(0, ID_CHARS_MAX);
  const opened = await openMessage(context, {
    connectionId,
    messageId: header("webhook-id"),
    timestamp: header("webhook-timestamp"),
    signature: header("webhook-signature"),
    bytes,
  });
  if (!opened.ok) {
    admission.failCredential(caller, connectionId);
    admission.failProof(caller);
  }
  const message = requireOk(opened);
  caller.provenAs = "proven";
  requireNoWait(limiter.take(message.connection.connectionId, clock.now()));
  return { ...message, bytes };
}

/** The body of a message as its schema says. */
export function readMessage<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
): z.infer<Schema> {
  const read = schema.safeParse(parseBody(bytes));
  if (read.success) return read.data;
  throw new Problem("invalid_request", { message: describeIssues(read.error.issues) });
}

/** A signed answer. */
export async function signedAnswer(
  context: Context,
  message: SignedMessage,
  value: unknown,
): Promise<Answer> {
  return { status: 200, ...(await signAnswer(context, message, value)) };
}
