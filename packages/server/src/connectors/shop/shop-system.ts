import { hash } from "node:crypto";
import {
  ok,
  type Result,
  refuse,
  signHmacWebhook,
  utf8,
  verifyHmacWebhook,
} from "@gatehouse/protocol";
import type { SafeFetch } from "@gatehouse/safe-fetch";
import type { ZodType } from "zod";
import {
  connectionSecretPlace,
  type ShopConnection,
} from "../../domain/shop-connections/shop-connection.js";
import type { ShopQuestion, ShopQuote } from "../../domain/shop-quotes/shop-quote.js";
import type { Clock } from "../../infra/clock.js";
import type { Ids } from "../../infra/ids.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import type { Secrets } from "../../infra/secrets/secrets.js";
import type { Reservation, ReserveFault, ShopConnector, Silence } from "../connector.js";
import { readAnswer, readQuote } from "./answers.js";
import { ANSWER_BYTES_MAX, PROOF, SHOP_MESSAGES } from "./contract.js";
import type { ShopOrder } from "./messages.js";

/** Longer than any payment stays open without its reservation being repeated. */
const RESERVED_S = 7200;

const OK = 200;

/** Connections whose silence is remembered. The oldest is forgotten first. */
const SILENCES_MAX = 1000;

interface ShopTools {
  readonly safeFetch: SafeFetch;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
}

type MessageType = keyof typeof SHOP_MESSAGES;

interface Sent {
  readonly messageId: string;
  readonly body: { readonly type: MessageType };
}

/** The JSON of an answer; undefined if it is none. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Talks to shop systems by signed messages, as docs/guide/connector.md says. */
export class ShopSystem implements ShopConnector {
  private readonly tools: ShopTools;
  private readonly silences = new Map<string, Silence>();

  constructor(tools: ShopTools) {
    this.tools = tools;
  }

  async prove(endpoint: string, challenge: string): Promise<Result<true, "unproven">> {
    const body = utf8(JSON.stringify({ type: "proof", challenge }));
    const headers = { "content-type": "application/json" };
    const limits = { totalMs: PROOF.totalMs, bodyBytes: ANSWER_BYTES_MAX };
    const answer = await this.tools.safeFetch.exchange(endpoint, { headers, body }, limits);
    if (!answer.ok) return refuse("unproven", answer.detail);
    const { status, body: answered } = answer.value;
    if (status !== OK) return refuse("unproven", `it answered with status ${status}`);
    const read = readAnswer(PROOF.answer, jsonOf(answered));
    if (!read.ok) return refuse("unproven", "the answer is no proof");
    const isProof = hash("sha256", read.value.proof, "base64url") === challenge;
    return isProof ? ok(true) : refuse("unproven", "the proof is wrong");
  }

  async quote(connection: ShopConnection, question: ShopQuestion): Promise<ShopQuote> {
    const { siteKeyHash: _, ...cart } = question;
    const answer = await this.ask(connection, this.sent({ type: "quote", ...cart }));
    const quote = answer.ok ? readQuote(answer.value, question) : answer;
    if (quote.ok) {
      this.noteAnswer(connection, "quote");
      return quote.value;
    }
    if (answer.ok) this.noteFailure(connection, "quote", quote.detail);
    return { kind: "unanswered" };
  }

  async reserve(
    connection: ShopConnection,
    { siteKeyHash: _, reservationId, totalMinor, ...cart }: Reservation,
  ): Promise<Result<true, ReserveFault>> {
    const body = {
      type: "reserve" as const,
      reservation_id: reservationId,
      expires_in_s: RESERVED_S,
      ...cart,
      total_minor: totalMinor,
    };
    const { reserve } = SHOP_MESSAGES;
    const answer = await this.read(connection, this.sent(body), reserve.answer);
    if (!answer.ok) return answer;
    if (answer.value.state === "reserved") return ok(true);
    return refuse(answer.value.reason, "the shop system refused it");
  }

  async release(
    connection: ShopConnection,
    { messageId, reservationId }: { readonly messageId: string; readonly reservationId: string },
  ): Promise<Result<true, "unanswered">> {
    const body = { type: "release" as const, reservation_id: reservationId };
    const { release } = SHOP_MESSAGES;
    const answer = await this.read(connection, { messageId, body }, release.answer);
    return answer.ok ? ok(true) : answer;
  }

  async sendOrder(
    connection: ShopConnection,
    { messageId, order }: { readonly messageId: string; readonly order: ShopOrder },
  ): Promise<Result<string, "unanswered">> {
    const body = { type: "order" as const, order };
    const answer = await this.read(connection, { messageId, body }, SHOP_MESSAGES.order.answer);
    return answer.ok ? ok(answer.value.shop_order_id) : answer;
  }

  private sent(body: Sent["body"]): Sent {
    return { messageId: this.tools.ids.id("msg"), body };
  }

  private async read<T>(
    connection: ShopConnection,
    sent: Sent,
    schema: ZodType<T>,
  ): Promise<Result<T, "unanswered">> {
    const answer = await this.ask(connection, sent);
    if (!answer.ok) return answer;
    const read = readAnswer(schema, answer.value);
    if (read.ok) {
      this.noteAnswer(connection, sent.body.type);
      return read;
    }
    this.noteFailure(connection, sent.body.type, read.detail);
    return refuse("unanswered", read.detail);
  }

  /** Sends a message, and returns the JSON of its signed answer. */
  private async ask(
    connection: ShopConnection,
    { messageId, body }: Sent,
  ): Promise<Result<unknown, "unanswered">> {
    const { safeFetch, clock, secrets } = this.tools;
    const secret = secrets.open(
      connectionSecretPlace(connection.connectionId),
      connection.sealedSecret,
    );
    const bytes = utf8(JSON.stringify(body));
    const headers = await signHmacWebhook(
      { id: messageId, body: bytes },
      { secret, sentAt: clock.now() },
    );
    const { totalMs } = SHOP_MESSAGES[body.type];
    const limits = { totalMs, bodyBytes: ANSWER_BYTES_MAX };
    const answer = await safeFetch.exchange(connection.endpoint, { headers, body: bytes }, limits);
    const failed = (why: string) => {
      this.noteFailure(connection, body.type, why);
      return refuse("unanswered", why);
    };
    if (!answer.ok) return failed(answer.detail);
    const { status, body: answered, signed } = answer.value;
    const signature = {
      timestamp: signed["webhook-timestamp"],
      signature: signed["webhook-signature"],
    };
    const message = { id: messageId, body: answered };
    const verified = await verifyHmacWebhook(message, signature, { secret, now: clock.now() });
    if (!verified.ok) return failed(`status ${status}, and the answer has no valid signature`);
    if (status !== OK) return failed(`the shop system answered with status ${status}`);
    const json = jsonOf(answered);
    return json === undefined ? failed("the answer is not JSON") : ok(json);
  }

  silenceOf(connectionId: string): Silence | undefined {
    return this.silences.get(connectionId);
  }

  private noteAnswer({ connectionId }: ShopConnection, type: MessageType): void {
    this.silences.delete(connectionId);
    this.count(type, "answered");
  }

  private noteFailure({ connectionId }: ShopConnection, type: MessageType, problem: string): void {
    const since = this.silences.get(connectionId)?.since ?? this.tools.clock.now();
    this.silences.set(connectionId, Object.freeze({ since, problem }));
    const [oldest] = this.silences.keys();
    if (this.silences.size > SILENCES_MAX && oldest !== undefined) this.silences.delete(oldest);
    this.tools.log.warn({ connection_id: connectionId, type, problem }, "shop.unanswered");
    this.count(type, "failed");
  }

  private count(type: MessageType, result: "answered" | "failed"): void {
    this.tools.metrics.counter("gatehouse_shop_messages_total")({ type, result });
  }
}
