import { Agent, type IncomingMessage, request } from "node:http";
import { gunzipSync } from "node:zlib";

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests read what they expect and fail otherwise
  readonly body: any;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Whoever replaces it watches what is sent, and must see all of it. */
const nodesFetch = globalThis.fetch;
const connections = new Agent({ keepAlive: true });
/** What `fetch` sends, so that the service sees no other client. */
const HEADERS = {
  accept: "*/*",
  "accept-encoding": "gzip, deflate",
  "accept-language": "*",
  "sec-fetch-mode": "cors",
  "user-agent": "node",
};

/** JSON is parsed; anything else is text. */
export function testAnswer(status: number, headers: Headers, text: string): TestAnswer {
  const isJson = headers.get("content-type")?.includes("json") ?? false;
  return { status, headers, body: isJson && text !== "" ? JSON.parse(text) : text };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  }
  return headers;
}

function answerTo(response: IncomingMessage, bytes: Buffer): TestAnswer {
  const { statusCode = 0, headers } = response;
  if (headers.location !== undefined && statusCode < 400 && statusCode >= 300) {
    throw new Error(`redirected to ${headers.location}, which only fetch follows`);
  }
  const text = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
  return testAnswer(statusCode, headersOf(response), text.toString("utf8"));
}

/**
 * Sends a request over HTTP. The tests send many thousands of them, and of what `fetch` needs for
 * one this needs half.
 */
export async function send(url: string, sent: Sent = {}): Promise<TestAnswer> {
  if (globalThis.fetch === nodesFetch) return sendLean(url, sent);
  const { method = "GET", headers = {}, body = null } = sent;
  const answer = await fetch(url, { method, headers, body });
  return testAnswer(answer.status, answer.headers, await answer.text());
}

function sendLean(url: string, { method = "GET", headers, body }: Sent): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const options = { method, agent: connections, headers: { ...HEADERS, ...headers } };
    const sending = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        try {
          resolve(answerTo(response, Buffer.concat(chunks)));
        } catch (error) {
          reject(error);
        }
      });
    });
    sending.on("error", reject);
    sending.end(body);
  });
}
