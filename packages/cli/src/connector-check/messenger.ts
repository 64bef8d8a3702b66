import type { Result } from "@gatehouse/protocol";
import { type QuoteFault, readAnswer, SHOP_MESSAGES } from "@gatehouse/server/connector";
import type { Reply, ShopEndpoint } from "./endpoint.js";
import { Broken, type Exchange, NotChecked } from "./finding.js";
import { newId } from "./new-id.js";

type MessageType = keyof typeof SHOP_MESSAGES;

interface Message {
  readonly type: MessageType;
}

/** Rules for every answer, whatever it answers. Each is reported once, with the first answer that breaks it. */
export type AnswerRule = "status" | "signature" | "time" | QuoteFault;

export interface AnswerFault {
  readonly type: MessageType;
  readonly problem: string;
  readonly exchange: Exchange;
}

/** A shop system that does not answer in time is not asked for the same again and again. */
const LATE_MAX = 2;
/** Gatehouse sends these until it has an answer, each time with the same id. */
const REPEATED: ReadonlySet<MessageType> = new Set(["release", "order"]);

/** Sends right messages, and holds every answer to the rules for answers. */
export class Messenger {
  readonly faults = new Map<AnswerRule, AnswerFault>();
  /** The types of messages that were answered as the contract says. */
  readonly answered = new Set<MessageType>();
  last: Exchange = { sent: "", received: "" };
  private readonly endpoint: ShopEndpoint;
  private readonly late = new Map<MessageType, number>();
  /** The ids of messages that are repeated, by their bodies. */
  private readonly ids = new Map<string, string>();

  constructor(endpoint: ShopEndpoint) {
    this.endpoint = endpoint;
  }

  /** Sends a message, and reads its answer. */
  async read<T>(message: Message, schema: Parameters<typeof readAnswer<T>>[0]): Promise<T> {
    return this.usable(message.type, readAnswer(schema, await this.ask(message)));
  }

  /** What was read from an answer, if it can be used. */
  usable<T>(type: MessageType, read: Result<T, AnswerRule>): T {
    if (!read.ok) return this.fail(read.reason, type, read.detail);
    this.answered.add(type);
    return read.value;
  }

  /** Sends a message, and returns the JSON of its answer. */
  async ask(message: Message): Promise<unknown> {
    const { type } = message;
    const { totalMs } = SHOP_MESSAGES[type];
    if ((this.late.get(type) ?? 0) >= LATE_MAX) {
      throw new NotChecked(`The shop system did not answer a ${type} in time.`);
    }
    const body = JSON.stringify(message);
    const id = (REPEATED.has(type) ? this.ids.get(body) : undefined) ?? newId("msg");
    this.ids.set(body, id);
    const reply = await this.endpoint.send({ id, body, totalMs });
    this.last = reply.exchange;
    if (reply.isLate) this.late.set(type, (this.late.get(type) ?? 0) + 1);
    return this.jsonOf(type, reply);
  }

  private jsonOf(type: MessageType, { fault, isLate, status, isSigned, text }: Reply): unknown {
    if (isLate) this.fail("time", type, fault ?? "");
    if (fault !== undefined || status !== 200) {
      const problem = fault ?? `The ${type} was answered with status ${status}.`;
      // If others of its type were answered, then this message is what the shop system does not understand.
      if (this.answered.has(type)) throw new Broken(problem, this.last);
      this.fail("status", type, problem);
    }
    if (!isSigned) {
      const problem = "The answer has no valid webhook-signature for the id of its request.";
      this.note("signature", type, problem);
    }
    try {
      return JSON.parse(text);
    } catch {
      return this.fail("shape", type, "The answer is not JSON.");
    }
  }

  private note(rule: AnswerRule, type: MessageType, problem: string): void {
    if (!this.faults.has(rule)) this.faults.set(rule, { type, problem, exchange: this.last });
  }

  private fail(rule: AnswerRule, type: MessageType, problem: string): never {
    this.note(rule, type, problem);
    throw new NotChecked(`The answer to a ${type} cannot be used: ${problem}`);
  }
}
