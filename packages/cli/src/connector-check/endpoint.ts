import { signHmacWebhook, utf8, verifyHmacWebhook } from "@gatehouse/protocol";
import { ANSWER_BYTES_MAX } from "@gatehouse/server/connector";
import { readBytes, sendRequest } from "../http.js";
import { MINUTE_MS } from "../time.js";
import { type Exchange, NotChecked } from "./finding.js";
import { newId } from "./new-id.js";

/** Enough for every check, even if the stock has to be searched for again each time. */
const REQUESTS_MAX = 500;
const RUN_MS_MAX = 10 * MINUTE_MS;
/** Says who asks, so that a developer who reads logs knows. */
const USER_AGENT = "Gatehouse-connector-check/1";
const SHOWN_CHARS_MAX = 1000;

/** A message as it is sent, which may be signed wrongly on purpose. */
export interface Outgoing {
  /** A new one if it is left out. */
  readonly id?: string;
  readonly body: string;
  readonly totalMs: number;
  /** Changes the headers of the signature. */
  readonly sign?: (signer: Signer) => Promise<Readonly<Record<string, string>>>;
}

interface Signer {
  readonly id: string;
  readonly body: string;
  readonly secret: string;
  readonly now: number;
}

/** What came back. `fault` says why there was no whole answer. */
export interface Reply {
  readonly exchange: Exchange;
  readonly status: number;
  readonly text: string;
  readonly isSigned: boolean;
  readonly isLate: boolean;
  readonly fault: string | undefined;
}

const shorten = (text: string) =>
  text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;

export const signRight = ({ id, body, secret, now }: Signer) =>
  signHmacWebhook({ id, body: utf8(body) }, { secret, sentAt: now });

/** The endpoint of a shop system. Messages go one after the other, so many and no more. */
export class ShopEndpoint {
  private readonly url: URL;
  private readonly secret: string;
  private requests = 0;
  private readonly begunAt = performance.now();

  constructor(url: URL, secret: string) {
    this.url = url;
    this.secret = secret;
  }

  async send(outgoing: Outgoing): Promise<Reply> {
    const isOver = performance.now() - this.begunAt > RUN_MS_MAX;
    if (isOver) throw new NotChecked("The run took more than 10 minutes.");
    this.requests += 1;
    if (this.requests > REQUESTS_MAX) {
      throw new NotChecked(`The run has sent ${REQUESTS_MAX} messages, which is its limit.`);
    }
    return this.sendAlways(outgoing);
  }

  /** Sends a message even if the run has used up its limits: it cleans up. */
  async sendAlways(outgoing: Outgoing): Promise<Reply> {
    const { id = newId("msg"), body, totalMs, sign = signRight } = outgoing;
    const now = Date.now();
    const signed = await sign({ id, body, secret: this.secret, now });
    const headers = {
      "user-agent": USER_AGENT,
      "content-type": "application/json",
      "accept-encoding": "identity",
      ...signed,
    };
    const sent = shorten(body);
    try {
      const answer = await sendRequest(this.url, { method: "POST", headers, body, msMax: totalMs });
      const bytes = await readBytes(answer, ANSWER_BYTES_MAX);
      const { statusCode: status = 0, headers: received } = answer;
      if (bytes === undefined) {
        answer.destroy();
        return unanswered(sent, status, "The answer has more than 256 KB.");
      }
      if ((received["content-encoding"] ?? "identity") !== "identity") {
        return unanswered(sent, status, "The answer is compressed, which was not accepted.");
      }
      const signature = {
        timestamp: String(received["webhook-timestamp"] ?? ""),
        signature: String(received["webhook-signature"] ?? ""),
      };
      const key = { secret: this.secret, now: Date.now() };
      const verified = await verifyHmacWebhook({ id, body: bytes }, signature, key);
      const text = bytes.toString("utf8");
      const exchange = { sent, received: shorten(`${status} ${text}`.trimEnd()) };
      return { exchange, status, text, isSigned: verified.ok, isLate: false, fault: undefined };
    } catch (error) {
      const { name, code, message } = error as NodeJS.ErrnoException;
      if (name === "AbortError") {
        const late = `There was no whole answer within ${totalMs / 1000} seconds.`;
        return { ...unanswered(sent, 0, late), isLate: true };
      }
      return unanswered(sent, 0, `The connection failed (${code ?? message}).`);
    }
  }
}

function unanswered(sent: string, status: number, fault: string): Reply {
  const exchange = { sent, received: status === 0 ? fault : `${status} ${fault}` };
  return { exchange, status, text: "", isSigned: false, isLate: false, fault };
}
