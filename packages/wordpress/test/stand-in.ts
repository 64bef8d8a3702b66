import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { signHmacWebhook, toBase64url, verifyHmacWebhook } from "../../protocol/src/index.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SITE_KEY = `us_${"k".repeat(43)}`;
const CONNECTION = "con_standin";
const SLOW_MS = 30_000;
const HUGE_CHARS = 3 * 2 ** 20;

/** How this Gatehouse answers a signed message; packed as nginx does, with the encoding as the last header. */
export type Mode =
  | "honest"
  | "packed"
  | "unsigned"
  | "forged"
  | "old"
  | "garbage"
  | "huge"
  | "redirect"
  | "slow";

// biome-ignore lint/suspicious/noExplicitAny: messages as the plugin sends them
export type Message = any;

const utf8 = (text: string) => new TextEncoder().encode(text);

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

const siteKeyHash = toBase64url(createHash("sha256").update(SITE_KEY).digest());

/** What a code is exchanged for. */
const connectAnswer = () => ({
  type: "connect.answer",
  connection_id: CONNECTION,
  secret: SECRET,
  site: {
    domain: "localhost",
    site_key: SITE_KEY,
    site_key_hash: siteKeyHash,
    status: "pending",
    verification_token: "verification-token-of-the-tests",
  },
  edge_token: `ghe_${"e".repeat(43)}`,
});

const statusAnswer = () => ({
  type: "status.answer",
  site: { domain: "localhost", status: "verified" },
  products: { listed: 12, paused: 3, synced_at: null, problem: null },
  selling: { open: true, problems: [] },
  messages: { waiting: 0, failed: 0 },
  agent_page: null,
});

/** A Gatehouse that can answer in every wrong way. It checks the signature of each message. */
export async function startStandIn() {
  const stand = {
    url: "",
    mode: "honest" as Mode,
    /** Messages with a valid signature, in order, and what was asked without one. */
    messages: [] as Message[],
    unsigned: [] as Message[],
    connect: connectAnswer,
    /** Answers by type of the message; the status is 200 unless one is named. */
    answers: {} as Record<string, (message: Message) => Message & { http?: number }>,
    code: (more: object = {}) =>
      `ghc_${toBase64url(utf8(JSON.stringify({ url: stand.url, code: "code-of-the-tests", ...more })))}`,
    close: async () => {},
  };
  const usual: typeof stand.answers = {
    status: statusAnswer,
    products: ({ products, removed }) => ({
      type: "products.answer",
      stored: products.length,
      ignored: 0,
      removed: removed.length,
      problems: [],
    }),
    "order.change": () => ({ type: "order.change.answer", state: "done", revision: 2 }),
  };
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.method !== "POST") {
      response.writeHead(404).end();
      return;
    }
    const message = JSON.parse(body);
    if (request.url === "/v1/connections") {
      stand.unsigned.push(message);
      const answer = stand.connect();
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(answer));
      return;
    }
    const id = String(request.headers["webhook-id"]);
    const signature = {
      timestamp: String(request.headers["webhook-timestamp"]),
      signature: String(request.headers["webhook-signature"]),
    };
    const now = Date.now();
    const verified = await verifyHmacWebhook({ id, body: utf8(body) }, signature, {
      secret: SECRET,
      now,
    });
    if (!verified.ok || !request.url?.startsWith(`/v1/connections/${CONNECTION}/`)) {
      response.writeHead(401).end("{}");
      return;
    }
    stand.messages.push(message);
    const { http = 200, ...answer } =
      (stand.answers[message.type] ?? usual[message.type])?.(message) ?? {};
    if (stand.mode === "redirect") {
      response.writeHead(307, { location: `${stand.url}/elsewhere` }).end();
      return;
    }
    if (stand.mode === "slow") {
      const timer = setTimeout(() => response.end("{}"), SLOW_MS);
      response.once("close", () => clearTimeout(timer));
      return;
    }
    const garbage = stand.mode === "garbage" ? "<html>" : JSON.stringify(answer);
    const text = stand.mode === "huge" ? `{"x":"${"x".repeat(HUGE_CHARS)}"}` : garbage;
    const sentAt = stand.mode === "old" ? now - 600_000 : now;
    const headers: Record<string, string> = {
      ...(await signHmacWebhook({ id, body: utf8(text) }, { secret: SECRET, sentAt })),
    };
    if (stand.mode === "unsigned") delete headers["webhook-signature"];
    if (stand.mode === "forged")
      headers["webhook-signature"] = `v1,${Buffer.alloc(32).toString("base64")}`;
    if (stand.mode === "packed") {
      const packed = gzipSync(text);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      lines.push("connection: close", `content-length: ${packed.length}`, "content-encoding: gzip");
      request.socket.write(`HTTP/1.1 ${http} OK\r\n${lines.join("\r\n")}\r\n\r\n`);
      request.socket.end(packed);
      return;
    }
    response.writeHead(http, headers).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stand.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stand.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return stand;
}
