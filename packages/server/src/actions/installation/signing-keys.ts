import { KEY_ID_PREFIXES, type KeyPurpose, ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Principal } from "../../domain/access/principal.js";
import type { ListedKey, Rotation } from "../../infra/keys/key-ring.js";

export const KEY_PURPOSES = Object.keys(KEY_ID_PREFIXES) as [KeyPurpose, ...KeyPurpose[]];

interface SigningKey extends ListedKey {
  readonly purpose: KeyPurpose;
}

/** The public keys of this installation, of every purpose. */
export async function listSigningKeys({ keys }: Context): Promise<readonly SigningKey[]> {
  const listed: SigningKey[] = [];
  for (const purpose of KEY_PURPOSES) {
    listed.push(...(await keys.listed(purpose)).map((key) => ({ ...key, purpose })));
  }
  return listed;
}

interface RotationRequest {
  readonly purpose: KeyPurpose;
  /** The current key is lost: rotate before verifiers can know the next one. */
  readonly force: boolean;
  /** Replaces both keys and stops listing them. */
  readonly stolen: boolean;
}

/** Rotates a signing key. If it was announced too recently, the refusal's detail is a wait in seconds. */
export async function rotateSigningKey(
  { keys, log }: Context,
  { purpose, force, stolen }: RotationRequest,
  { id }: Principal,
): Promise<Result<Rotation, "announced_recently">> {
  const result = stolen
    ? ok(await keys.replaceStolen(purpose))
    : await keys.rotate(purpose, { force });
  if (result.ok) {
    log.warn({ purpose, ...result.value, by: id, force, stolen }, "keys.rotated");
  }
  return result;
}
