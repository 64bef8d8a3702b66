import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
} from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { contentDigest, type JsonObject } from "@gatehouse/protocol";
import { createSigner, createVerifier, httpbis } from "http-message-signatures";
import { send, type TestAnswer } from "../http-client.ts";
import type { Received } from "../notifications/receiver.ts";

const LATEST = "2026-08-25";
const ALGORITHM = "ecdsa-p256-sha256";
const CAPABILITIES = [
  "dev.ucp.shopping.catalog.search",
  "dev.ucp.shopping.catalog.lookup",
  "dev.ucp.shopping.cart",
  "dev.ucp.shopping.checkout",
  "dev.ucp.shopping.fulfillment",
  "dev.ucp.shopping.order",
];
const ORDER = "dev.ucp.shopping.order";

interface PlatformKey {
  readonly kid: string;
  readonly privateJwk: JsonWebKey;
  readonly publicJwk: JsonObject;
}

export function newPlatformKey(kid: string): PlatformKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const privateJwk = privateKey.export({ format: "jwk" });
  const { kty = "", crv = "", x = "", y = "" } = privateJwk;
  const publicJwk = { kid, kty, crv, x, y, use: "sig", alg: "ES256" };
  return { kid, privateJwk, publicJwk };
}

/** What a platform that can do all says of itself. */
export function profileOf(
  keys: readonly JsonObject[],
  capabilities = CAPABILITIES,
  webhookUrl?: string,
  version = LATEST,
): JsonObject {
  const hears = webhookUrl === undefined ? {} : { config: { webhook_url: webhookUrl } };
  const entry = (name: string) => ({
    ...(name === ORDER ? hears : {}),
    version,
    spec: `https://ucp.dev/${version}/specification/${name}`,
    schema: `https://ucp.dev/${version}/schemas/${name}.json`,
  });
  return {
    ucp: {
      version,
      services: {},
      capabilities: Object.fromEntries(capabilities.map((name) => [name, [entry(name)]])),
      payment_handlers: {},
    },
    [version === LATEST ? "keys" : "signing_keys"]: keys.map((key) => ({ ...key })),
  };
}

const NEWS_PATH = "/orders";

/** A platform with a profile on this machine, that signs with a library not ours. */
export class Platform {
  readonly key = newPlatformKey("platform-key");
  profile: JsonObject = profileOf([this.key.publicJwk]);
  /** How often its profile was asked for. */
  fetches = 0;
  /** What it was told of orders, and how it answers that. */
  readonly news: Received[] = [];
  takes: (response: ServerResponse) => unknown = (response) => response.end();
  /** Stands in for what serves the profile. */
  serve: RequestListener = (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(this.profile));
  };
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    server.on("request", (request, response) => {
      if (request.url?.startsWith(NEWS_PATH)) return this.hear(request, response);
      this.fetches++;
      this.serve(request, response);
    });
  }

  private async hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { headers, url = "" } = request;
    this.news.push({ url: `http://${this.host}${url}`, headers, body });
    await this.takes(response);
  }

  /** Says in its profile where it wants to hear of orders. */
  wantsNews(url = `http://${this.host}${NEWS_PATH}?team=1`): void {
    this.profile = profileOf([this.key.publicJwk], CAPABILITIES, url);
  }

  /** Says in its profile which version of UCP it speaks, what more it can do, and where it wants to hear of orders. */
  speaks(
    version: string,
    url = `http://${this.host}${NEWS_PATH}?team=1`,
    more: readonly string[] = [],
  ): void {
    this.profile = profileOf([this.key.publicJwk], [...CAPABILITIES, ...more], url, version);
  }

  /** An address of its own makes it a platform nobody has seen. */
  static async start(address = "127.0.0.1"): Promise<Platform> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    return new Platform(server);
  }

  get host(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `${address}:${port}`;
  }

  /** Another address of the same profile: whoever fetched one has not fetched the other. */
  profileUrl(name = "profile"): string {
    return `http://${this.host}/${name}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** The headers of a call, signed where it is to be. */
  private async headers(
    url: string,
    body: string | undefined,
    {
      sign = false,
      fields,
      signer: key = this.key,
      created = Date.now(),
      undated = false,
      expires,
      ...more
    }: CallOptions,
  ): Promise<Record<string, string>> {
    const headers: Record<string, string> = {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      "ucp-agent": `profile="${more.profile ?? this.profileUrl()}"`,
      ...more.headers,
    };
    if (!sign) return headers;
    if (body !== undefined) headers["content-digest"] = await contentDigest(Buffer.from(body));
    const signer = createSigner(
      createPrivateKey({ key: key.privateJwk, format: "jwk" }),
      ...([ALGORITHM, key.kid] as const),
    );
    const covered = fields ?? ["@method", "@authority", "@path", ...Object.keys(headers)];
    const signed = await httpbis.signMessage(
      {
        key: signer,
        name: "sig1",
        fields: covered,
        params: [
          ...(undated ? [] : ["created"]),
          ...(expires === undefined ? [] : ["expires"]),
          "keyid",
        ],
        paramValues: {
          created: new Date(created),
          ...(expires === undefined ? {} : { expires: new Date(expires) }),
          keyid: key.kid,
        },
      },
      { method: more.method ?? "POST", url, headers },
    );
    return signed.headers as Record<string, string>;
  }

  /** Calls a shop, at the address its profile names. */
  async call(url: string, body?: unknown, options: CallOptions = {}): Promise<TestAnswer> {
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const headers = await this.headers(url, text, options);
    const { method = "POST", sent = text } = options;
    return send(url, { method, headers, body: sent });
  }
}

export interface CallOptions {
  readonly method?: string;
  readonly sign?: boolean;
  /** What the signature covers, where not what it must. */
  readonly fields?: string[];
  readonly signer?: PlatformKey;
  readonly created?: number;
  /** Leaves out when it was made. */
  readonly undated?: boolean;
  /** When it stops being good. */
  readonly expires?: number;
  readonly profile?: string;
  readonly headers?: Record<string, string>;
  /** What is sent in the place of what was signed. */
  readonly sent?: string;
}

interface ShopKeys {
  readonly keys: readonly (JsonWebKey & { readonly kid: string })[];
}

const keysOf =
  ({ keys }: ShopKeys) =>
  async ({ keyid }: { keyid?: string }) => {
    const jwk = keys.find(({ kid }) => kid === keyid);
    if (jwk === undefined) return null;
    const key = createPublicKey({ key: jwk, format: "jwk" });
    return { id: keyid as string, algs: [ALGORITHM], verify: createVerifier(key, ALGORITHM) };
  };

/** Whether an answer was signed with a key of the shop's profile, by a library not ours. */
export async function isSigned(
  shopProfile: ShopKeys,
  response: { status: number; headers: Headers; body: unknown },
  now = Date.now(),
): Promise<boolean> {
  const text = JSON.stringify(response.body);
  const digest = response.headers.get("content-digest");
  if (digest !== (await contentDigest(Buffer.from(text)))) return false;
  const keyLookup = keysOf(shopProfile);
  const headers = Object.fromEntries(response.headers);
  const verified = await httpbis.verifyMessage(
    {
      keyLookup,
      requiredFields: ["@status", "content-digest", "content-type"],
      notAfter: new Date(now + 1000),
    },
    { status: response.status, headers },
  );
  return verified === true;
}

/** Whether news of an order were signed with a key of the shop's profile, by a library not ours. */
export async function isShopsNews(
  shopProfile: ShopKeys,
  { url, headers, body }: Received,
): Promise<boolean> {
  if (headers["content-digest"] !== (await contentDigest(Buffer.from(body)))) return false;
  const verified = await httpbis.verifyMessage(
    {
      requiredFields: [
        "@method",
        "@authority",
        "@path",
        "@query",
        "ucp-agent",
        "content-digest",
        "content-type",
        "webhook-id",
        "webhook-timestamp",
        "idempotency-key",
      ],
      requiredParams: ["created", "keyid"],
      tolerance: Number.POSITIVE_INFINITY,
      keyLookup: keysOf(shopProfile),
    },
    { method: "POST", url, headers: headers as Record<string, string> },
  );
  return verified === true;
}
