import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import {
  type Ed25519Jwk,
  ed25519Jwk,
  readNoteKey,
  serviceKeyId,
  type Verify,
} from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";
import { plainText } from "../terminal.js";
import { AUDIT_KEY_SET_PATH, keySetAddress, loadKeys } from "../verify/key-set.js";

/** A vkey is one line; a key set is longer. */
const VKEY_BYTES_MAX = 1024;
const publicKeys = new Map<string, KeyObject>();

/** Node's own verification: three times as fast as Web Crypto on a hundred thousand records. */
export const verifyFast: Verify = (jwk, message, signature) => {
  let key = publicKeys.get(jwk.x);
  if (key === undefined) {
    key = createPublicKey({ key: { ...jwk }, format: "jwk" });
    publicKeys.set(jwk.x, key);
  }
  return signature.length === 64 && verify(null, message, key, signature);
};

export const hashFast = (data: Uint8Array | string) => hash("sha256", data, "buffer");

export interface Trusted {
  readonly keys: ReadonlyMap<string, Ed25519Jwk>;
  /** The host a vkey is for; a key set is for every log of its service. */
  readonly host: string | undefined;
}

const hostOf = (chain: string) => chain.slice(0, chain.indexOf("/"));

/** The keys to trust: a line `name+id+key`, or a key set at an address or in a file. */
export async function trustedKeys(source: string): Promise<Trusted> {
  const stats = statSync(source, { throwIfNoEntry: false });
  const short = stats?.isFile() === true && stats.size < VKEY_BYTES_MAX;
  const noteKey = await readNoteKey(short ? readFileSync(source, "utf8") : source);
  if (noteKey.ok) {
    const { name, publicKey } = noteKey.value;
    const kid = await serviceKeyId("audit", publicKey);
    return { keys: new Map([[kid, ed25519Jwk(publicKey)]]), host: hostOf(name) };
  }
  if (stats === undefined && !/^https?:\/\//i.test(source)) {
    const hint =
      "--key needs a key set (a file, or the address of a service) or a vkey: name+id+key.";
    throw new CommandError(`The file ${source} does not exist.`, EXIT.usage, hint);
  }
  const keys = await loadKeys(keySetAddress(source, AUDIT_KEY_SET_PATH), AUDIT_KEY_SET_PATH);
  const own = [...keys].filter(([, jwk]) => jwk.kty === "OKP") as [string, Ed25519Jwk][];
  if (own.length > 0) return { keys: new Map(own), host: undefined };
  const hint = "Use the address of the service, its /.well-known/audit-jwks.json, or a vkey.";
  throw new CommandError(`${source} contains no Ed25519 key.`, EXIT.failed, hint);
}

/** A vkey was handed over for one site: another site's log is not vouched for by it. */
export function refuseOtherHosts(sets: readonly Trusted[], chains: readonly string[]): void {
  if (sets.some(({ host }) => host === undefined)) return;
  const other = chains.find((chain) => !sets.some(({ host }) => host === hostOf(chain)));
  if (other === undefined) return;
  const hint = "Use --key with the vkey of that log, or with the key set of the service.";
  throw new CommandError(`The vkey is not for ${plainText(other)}.`, EXIT.failed, hint);
}
