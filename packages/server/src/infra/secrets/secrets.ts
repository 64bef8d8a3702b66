import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { fromBase64url, toBase64url, utf8 } from "@gatehouse/protocol";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const FORM = "v1";
/** Derived keys in memory; a removed one is derived again. */
const KEYS_CACHED_MAX = 1000;

/**
 * Encrypts secrets that are stored in the database. Reading them takes both the secrets key and the database.
 */
export interface Secrets {
  /** Identifies the key without revealing it, so that a wrong key is noticed before it is used. */
  readonly keyId: string;
  /** `place` names the value and its owner. A sealed value opens only with the same place. */
  seal(place: string, plain: string): string;
  open(place: string, sealed: string): string;
  /** A key derived for a purpose: the same on every node and after a restart. */
  keyFor(purpose: string): KeyObject;
}

export function createSecrets(masterKey: Uint8Array): Secrets {
  if (masterKey.length !== KEY_BYTES) throw new TypeError("the secrets key must be 32 bytes");
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", masterKey, "", `gatehouse ${purpose}`, KEY_BYTES));
  const sealKey = derive("seal v1");
  const keys = new Map<string, KeyObject>();
  const keyFor = (purpose: string) => {
    let key = keys.get(purpose);
    if (key === undefined) {
      key = createSecretKey(derive(purpose));
      if (keys.size >= KEYS_CACHED_MAX) keys.clear();
      keys.set(purpose, key);
    }
    return key;
  };
  return {
    keyId: createHash("sha256").update(derive("key id")).digest("hex").slice(0, 16),
    keyFor,
    seal(place, plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealKey, nonce).setAAD(utf8(place));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return `${FORM}.${toBase64url(Buffer.concat([nonce, body, cipher.getAuthTag()]))}`;
    },
    open(place, sealed) {
      const [form, text = ""] = sealed.split(".");
      const bytes = fromBase64url(text);
      if (form !== FORM || bytes === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new Error(`the sealed value at ${place} is damaged`);
      }
      const decipher = createDecipheriv("aes-256-gcm", sealKey, bytes.slice(0, NONCE_BYTES))
        .setAAD(utf8(place))
        .setAuthTag(bytes.slice(-TAG_BYTES));
      const body = decipher.update(bytes.slice(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString("utf8");
    },
  };
}
