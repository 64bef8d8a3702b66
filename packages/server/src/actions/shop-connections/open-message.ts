import {
  ok,
  type Result,
  refuse,
  signHmacWebhook,
  utf8,
  verifyHmacWebhook,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  connectionSecretPlace,
  type ShopConnection,
} from "../../domain/shop-connections/shop-connection.js";
import { markSeen, shopConnectionById } from "../../domain/shop-connections/store.js";

/** A message of a shop system, with the headers of its signature. */
export interface ShopMessage {
  readonly connectionId: string;
  readonly messageId: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly bytes: Uint8Array;
}

/** The connection that signed a message. */
export interface OpenedMessage {
  readonly connection: ShopConnection;
  readonly messageId: string;
}

const UNSIGNED = refuse(
  "unauthorized",
  "The message is not signed with the secret of this connection, or is too old.",
);

const secretOf = ({ secrets }: Context, { connectionId, sealedSecret }: ShopConnection) =>
  secrets.open(connectionSecretPlace(connectionId), sealedSecret);

/** Whether there is such a connection. Its id is known to the shop system alone. */
export async function isConnection({ db }: Context, connectionId: string): Promise<boolean> {
  return (await shopConnectionById(db, connectionId)) !== undefined;
}

/** Checks the signature of a message. Strangers do not learn which connections there are. */
export async function openMessage(
  context: Context,
  { connectionId, messageId, bytes, ...signature }: ShopMessage,
): Promise<Result<OpenedMessage, "unauthorized">> {
  const { clock, db } = context;
  const connection = await shopConnectionById(db, connectionId);
  if (connection === undefined) return UNSIGNED;
  const message = { id: messageId, body: bytes };
  const now = clock.now();
  const key = { secret: secretOf(context, connection), now };
  const verified = await verifyHmacWebhook(message, signature, key);
  if (!verified.ok) return UNSIGNED;
  await markSeen(db, connection, now);
  return ok({ connection, messageId });
}

/** The body and the headers of an answer, signed with the id of its message. */
export async function signAnswer(
  context: Context,
  { connection, messageId }: OpenedMessage,
  value: unknown,
): Promise<{ readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> }> {
  const body = utf8(JSON.stringify(value));
  const signing = { secret: secretOf(context, connection), sentAt: context.clock.now() };
  return { body, headers: await signHmacWebhook({ id: messageId, body }, signing) };
}
