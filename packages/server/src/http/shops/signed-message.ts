import { signHmacWebhook, utf8, verifyHmacWebhook } from "@gatehouse/protocol";
import type { z } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import {
  connectionSecretPlace,
  type ShopConnection,
} from "../../domain/shop-connections/shop-connection.js";
import { markSeen, shopConnectionById } from "../../domain/shop-connections/store.js";
import type { LocalLimiter } from "../../infra/rate-limit/local.js";
import { UNREAD_REST } from "../server/body.js";
import type { Answer, Exchange } from "../server/exchange.js";
import { parseBody, readJsonBytes } from "../server/json-body.js";
import { Problem, requireNoWait } from "../server/problem.js";
import { describeIssues } from "../server/validation.js";

export const MESSAGE_BYTES_MAX = 256 * 1024;
const ID_CHARS_MAX = 200;

/** A message whose signature was checked. */
export interface SignedMessage {
  readonly connection: ShopConnection;
  readonly messageId: string;
  readonly secret: string;
  readonly bytes: Uint8Array;
}

const unsigned = () =>
  new Problem("unauthorized", {
    message: "The message is not signed with the secret of this connection, or is too old.",
    headers: UNREAD_REST,
  });

/** The message of a shop system, or the refusal of anything else. Strangers learn nothing of connections. */
export async function requireMessage(
  { admission, clock, db, secrets, ...tools }: Context,
  exchange: Exchange,
  limiter: LocalLimiter,
): Promise<SignedMessage> {
  const { caller, request } = exchange;
  requireNoWait(admission.takeCostly(caller), UNREAD_REST);
  const messageId = exchange.header("webhook-id") ?? "";
  const timestamp = exchange.header("webhook-timestamp") ?? "";
  const signature = exchange.header("webhook-signature") ?? "";
  const connection = await shopConnectionById(db, exchange.param("connection"));
  if (connection === undefined || messageId === "" || messageId.length > ID_CHARS_MAX) {
    admission.failProof(caller);
    throw unsigned();
  }
  const bytes = await readJsonBytes({ clock, admission, ...tools }, request, MESSAGE_BYTES_MAX);
  const secret = secrets.open(
    connectionSecretPlace(connection.connectionId),
    connection.sealedSecret,
  );
  const message = { id: messageId, body: bytes };
  const now = clock.now();
  const verified = await verifyHmacWebhook(message, { timestamp, signature }, { secret, now });
  if (!verified.ok) {
    admission.failProof(caller);
    throw unsigned();
  }
  caller.provenAs = "proven";
  requireNoWait(limiter.take(connection.connectionId, now));
  await markSeen(db, connection, now);
  return { connection, messageId, secret, bytes };
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

/** An answer, signed with the id of the message. */
export async function signedAnswer(
  { clock }: Context,
  { messageId, secret }: SignedMessage,
  value: unknown,
): Promise<Answer> {
  const body = utf8(JSON.stringify(value));
  const signing = { secret, sentAt: clock.now() };
  return { status: 200, body, headers: await signHmacWebhook({ id: messageId, body }, signing) };
}
