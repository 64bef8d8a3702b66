import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { fromBase64url, type JsonObject, toBase64url } from "@gatehouse/protocol";
import type { Ids } from "../../platform/ids.js";
import type { Secrets } from "../../platform/secrets/secrets.js";

const NONCE_BYTES = 16;
const MAC_BYTES = 16;
const CLIENT_CHARS_MAX = 64;
/** Nonce, client, mac. */
const FORM = /^([\w-]{22})\.([\w-]{0,700})\.([\w-]{22})$/;

/** What a client calls itself; self-reported, for the record only. */
export interface Client {
  readonly name: string;
  readonly version: string;
}

export interface Session {
  /** Names the session in limits and records; without its mac it opens nothing. */
  readonly id: string;
  readonly client: Client;
}

function cut(text: unknown): string {
  return typeof text === "string"
    ? [...text.slice(0, 1000)].slice(0, CLIENT_CHARS_MAX).join("")
    : "";
}

export function readClient({ name, version }: JsonObject): Client {
  return { name: cut(name), version: cut(version) };
}

/**
 * Session ids that need no storage: each holds what we must know of its session, bound to its site
 * by a key all nodes share. They open nothing; losing one only costs its limit.
 */
export class Sessions {
  private readonly key: KeyObject;
  private readonly ids: Ids;

  constructor(secrets: Secrets, ids: Ids) {
    this.key = secrets.keyFor("mcp session v1");
    this.ids = ids;
  }

  private mac(siteKeyHash: string, body: string): Buffer {
    const whole = createHmac("sha256", this.key).update(`${siteKeyHash}.${body}`).digest();
    return whole.subarray(0, MAC_BYTES);
  }

  mint(siteKeyHash: string, { name, version }: Client): string {
    const nonce = toBase64url(this.ids.bytes(NONCE_BYTES));
    const body = `${nonce}.${Buffer.from(JSON.stringify([name, version])).toString("base64url")}`;
    return `${body}.${this.mac(siteKeyHash, body).toString("base64url")}`;
  }

  /** The session an id stands for; undefined for one of another site, or of nobody's making. */
  read(siteKeyHash: string, text: string): Session | undefined {
    const [, id = "", client = "", mac = ""] = FORM.exec(text) ?? [];
    const given = fromBase64url(mac);
    if (given?.length !== MAC_BYTES) return undefined;
    if (!timingSafeEqual(given, this.mac(siteKeyHash, `${id}.${client}`))) return undefined;
    const [name, version] = JSON.parse(Buffer.from(client, "base64url").toString());
    return { id, client: { name, version } };
  }
}
