import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { JsonObject } from "@gatehouse/protocol";
import type { Ids } from "../../infra/ids.js";
import type { Secrets } from "../../infra/secrets/secrets.js";

const MAC_CHARS = 22;
const CLIENT_CHARS_MAX = 64;
/** A nonce, the client's name and version, the mac. */
const FORM = /^(mcp_[\w-]{24})~([\w%!'()*.-]{0,800})~([\w%!'()*.-]{0,800})~([\w-]{22})$/;

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

/** Not more of it than a name needs, and nothing that would steer or turn text around. */
function cut(text: unknown): string {
  if (typeof text !== "string") return "";
  const plain = text.slice(0, 2 * CLIENT_CHARS_MAX).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "");
  if (plain.length <= CLIENT_CHARS_MAX) return plain;
  return [...plain].slice(0, CLIENT_CHARS_MAX).join("");
}

export function readClient({ name, version }: JsonObject): Client {
  return { name: cut(name), version: cut(version) };
}

/** `~` stands between the parts of an id. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("~", "%7E");
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

  /** 132 bits of it, which nobody guesses. */
  private mac(siteKeyHash: string, body: string): string {
    const mac = createHmac("sha256", this.key).update(`${siteKeyHash}~${body}`);
    return mac.digest("base64url").slice(0, MAC_CHARS);
  }

  mint(siteKeyHash: string, { name, version }: Client): string {
    const body = `${this.ids.id("mcp")}~${encoded(name)}~${encoded(version)}`;
    return `${body}~${this.mac(siteKeyHash, body)}`;
  }

  /** The session an id stands for; undefined for one of another site, or of nobody's making. */
  read(siteKeyHash: string, text: string): Session | undefined {
    const [, id = "", name = "", version = "", mac = ""] = FORM.exec(text) ?? [];
    if (mac.length !== MAC_CHARS) return undefined;
    const own = Buffer.from(this.mac(siteKeyHash, `${id}~${name}~${version}`), "latin1");
    if (!timingSafeEqual(Buffer.from(mac, "latin1"), own)) return undefined;
    const client = { name: decodeURIComponent(name), version: decodeURIComponent(version) };
    return { id, client };
  }
}
