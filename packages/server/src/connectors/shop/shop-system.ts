import {
  type JsonObject,
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
import type { Secrets } from "../../infra/secrets/secrets.js";
import type { Reservation, ReserveFault, ShopConnector } from "../connector.js";
import { OrderAnswer, ReleaseAnswer, ReserveAnswer, readQuote } from "./answers.js";

/** An agent waits for a quote, and for a payment that needs a reservation. Nobody waits for the others. */
const QUOTE_MS_MAX = 2000;
const RESERVE_MS_MAX = 5000;
const MESSAGE_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 256 * 1024;
/** Longer than any payment stays open without its reservation being repeated. */
const RESERVED_S = 3600;

const OK = 200;

interface ShopTools {
  readonly safeFetch: SafeFetch;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly secrets: Secrets;
}

interface Sent {
  readonly messageId: string;
  readonly body: JsonObject;
  readonly totalMs: number;
}

function questionBody({ siteKeyHash: _, ...question }: ShopQuestion): JsonObject {
  return question as unknown as JsonObject;
}

/** Talks to shop systems by signed messages, as docs/guide/connector.md says. */
export class ShopSystem implements ShopConnector {
  private readonly tools: ShopTools;

  constructor(tools: ShopTools) {
    this.tools = tools;
  }

  async quote(connection: ShopConnection, question: ShopQuestion): Promise<ShopQuote> {
    const body = { type: "quote", ...questionBody(question) };
    const answer = await this.ask(connection, this.sent(body, QUOTE_MS_MAX));
    const quote = answer.ok ? readQuote(answer.value, question) : undefined;
    if (answer.ok && quote === undefined) this.warn(connection, "quote", "the answer is not valid");
    return quote ?? { kind: "unanswered" };
  }

  async reserve(
    connection: ShopConnection,
    { reservationId, totalMinor, ...question }: Reservation,
  ): Promise<Result<true, ReserveFault>> {
    const body = {
      type: "reserve",
      reservation_id: reservationId,
      expires_in_s: RESERVED_S,
      ...questionBody(question),
      total_minor: totalMinor,
    };
    const answer = await this.read(connection, this.sent(body, RESERVE_MS_MAX), ReserveAnswer);
    if (!answer.ok) return answer;
    if (answer.value.state === "reserved") return ok(true);
    return refuse(answer.value.reason, "the shop system refused it");
  }

  async release(
    connection: ShopConnection,
    { messageId, reservationId }: { readonly messageId: string; readonly reservationId: string },
  ): Promise<Result<true, "unanswered">> {
    const body = { type: "release", reservation_id: reservationId };
    const sent = { messageId, body, totalMs: MESSAGE_MS_MAX };
    const answer = await this.read(connection, sent, ReleaseAnswer);
    return answer.ok ? ok(true) : answer;
  }

  async sendOrder(
    connection: ShopConnection,
    { messageId, order }: { readonly messageId: string; readonly order: JsonObject },
  ): Promise<Result<string, "unanswered">> {
    const sent = { messageId, body: { type: "order", order }, totalMs: MESSAGE_MS_MAX };
    const answer = await this.read(connection, sent, OrderAnswer);
    return answer.ok ? ok(answer.value.shop_order_id) : answer;
  }

  private sent(body: JsonObject, totalMs: number): Sent {
    return { messageId: this.tools.ids.id("msg"), body, totalMs };
  }

  private async read<T>(
    connection: ShopConnection,
    sent: Sent,
    schema: ZodType<T>,
  ): Promise<Result<T, "unanswered">> {
    const answer = await this.ask(connection, sent);
    if (!answer.ok) return answer;
    const read = schema.safeParse(answer.value);
    if (read.success) return ok(read.data);
    return refuse("unanswered", "the answer of the shop system is not valid");
  }

  /** Sends a message, and returns the JSON of its signed answer. */
  private async ask(
    connection: ShopConnection,
    { messageId, body, totalMs }: Sent,
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
    const limits = { totalMs, bodyBytes: ANSWER_BYTES_MAX };
    const answer = await safeFetch.exchange(connection.endpoint, { headers, body: bytes }, limits);
    const failed = (why: string) => {
      this.warn(connection, String(body.type), why);
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
    try {
      return ok(JSON.parse(new TextDecoder().decode(answered)));
    } catch {
      return failed("the answer is not JSON");
    }
  }

  private warn({ connectionId }: ShopConnection, type: string, problem: string): void {
    this.tools.log.warn({ connection_id: connectionId, type, problem }, "shop.unanswered");
  }
}
