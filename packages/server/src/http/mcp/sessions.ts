import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { JsonObject } from "@gatehouse/protocol";
import type { Ids } from "../../infra/ids.js";
import type { Secrets } from "../../infra/secrets/secrets.js";

const MAC_CHARS = 22;
const CLIENT_CHARS_MAX = 64;
/** A nonce, the client's name, its version, and the MAC. */
const FORM = /^(mcp_[\w-]{24})~([\w%!'()*.-]{0,800})~([\w%!'()*.-]{0,800})~([\w-]{22})$/;

/** The name and version that a client gives itself, for records only. */
export interface Client {
  readonly name: string;
  readonly version: string;
}

export interface Session {
  /** Names the session in limits and records. Without its MAC it cannot be used. */
  readonly id: string;
  readonly client: Client;
}

/** Shortens a text, and removes control characters and characters that change its direction. */
function cleaned(text: unknown): string {
  if (typeof text !== "string") return "";
  const plain = text.slice(0, 2 * CLIENT_CHARS_MAX).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "");
  if (plain.length <= CLIENT_CHARS_MAX) return plain;
  return [...plain].slice(0, CLIENT_CHARS_MAX).join("");
}

export function readClient({ name, version }: JsonObject): Client {
  return { name: cleaned(name), version: cleaned(version) };
}

/** Without `~`, which separates the parts of an id. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("~", "%7E");
}

/**
 * Session ids that need no storage. An id contains the data of its session, with a MAC that binds it to
 * its site; all nodes share the key. A session grants no rights: it only has its own limit.
 */
export class Sessions {
  private readonly key: KeyObject;
  private readonly ids: Ids;

  constructor(secrets: Secrets, ids: Ids) {
    this.key = secrets.keyFor("mcp session v1");
    this.ids = ids;
  }

  /** 132 bits, which nobody can guess. */
  private mac(siteKeyHash: string, body: string): string {
    const mac = createHmac("sha256", this.key).update(`${siteKeyHash}~${body}`);
    return mac.digest("base64url").slice(0, MAC_CHARS);
  }

  mint(siteKeyHash: string, { name, version }: Client): string {
    const body = `${this.ids.id("mcp")}~${encoded(name)}~${encoded(version)}`;
    return `${body}~${this.mac(siteKeyHash, body)}`;
  }

  /** The session of an id; undefined if the id is invalid or of another site. */
  read(siteKeyHash: string, text: string): Session | undefined {
    const [, id = "", name = "", version = "", mac = ""] = FORM.exec(text) ?? [];
    if (mac.length !== MAC_CHARS) return undefined;
    const own = Buffer.from(this.mac(siteKeyHash, `${id}~${name}~${version}`), "latin1");
    if (!timingSafeEqual(Buffer.from(mac, "latin1"), own)) return undefined;
    const client = { name: decodeURIComponent(name), version: decodeURIComponent(version) };
    return { id, client };
  }
}
