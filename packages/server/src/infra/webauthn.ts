import { fromBase64url, toBase64url } from "@gatehouse/protocol";
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from "@simplewebauthn/server";

import { namedOrigin, passkeyHost } from "./web-name.js";

export type { AuthenticationResponseJSON, RegistrationResponseJSON };

/** Loaded with the first passkey, because most processes never see one. */
const library = () => import("@simplewebauthn/server");

/** How long a browser waits for the person. */
const TIMEOUT_MS = 120_000;

/** A passkey as the library reads it: its key is base64url. */
export interface StoredCredential {
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** Accepts a challenge once; false ends the verification. */
type TakeChallenge = (challenge: string) => Promise<boolean>;

const bytesOf = (text: string) => new Uint8Array(fromBase64url(text) ?? []);

/**
 * The relying party of WebAuthn. Browsers bind a passkey to the host of the base URL: after that host
 * changes, no passkey of the earlier host works.
 */
export class RelyingParty {
  readonly id: string;
  private readonly origin: string;

  constructor(baseUrl: string) {
    this.id = passkeyHost(baseUrl);
    this.origin = namedOrigin(baseUrl) ?? new URL(baseUrl).origin;
  }

  async registrationOptions(
    challenge: string,
    person: { readonly id: string; readonly name: string },
    known: readonly StoredCredential[],
  ) {
    const { generateRegistrationOptions } = await library();
    return generateRegistrationOptions({
      rpName: "Gatehouse",
      rpID: this.id,
      userName: person.name,
      userID: new TextEncoder().encode(person.id),
      challenge: bytesOf(challenge),
      timeout: TIMEOUT_MS,
      excludeCredentials: known.map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
  }

  /** The new passkey; undefined if the answer does not verify. */
  async verifyRegistration(
    response: RegistrationResponseJSON,
    take: TakeChallenge,
  ): Promise<StoredCredential | undefined> {
    const { verifyRegistrationResponse } = await library();
    const expected = { expectedOrigin: this.origin, expectedRPID: this.id };
    try {
      const result = await verifyRegistrationResponse({
        response,
        expectedChallenge: take,
        ...expected,
      });
      return result.registrationInfo && storedOf(result.registrationInfo.credential);
    } catch {
      // The library throws what is wrong with an answer. It can come from anybody.
      return undefined;
    }
  }

  async authenticationOptions(challenge: string, allowed: readonly StoredCredential[]) {
    const { generateAuthenticationOptions } = await library();
    return generateAuthenticationOptions({
      rpID: this.id,
      challenge: bytesOf(challenge),
      timeout: TIMEOUT_MS,
      userVerification: "required",
      ...(allowed.length === 0
        ? {}
        : {
            allowCredentials: allowed.map(({ id, transports }) => ({
              id,
              transports: [...transports],
            })),
          }),
    });
  }

  /** The counter after this use; undefined if the answer does not verify. */
  async verifyAuthentication(
    response: AuthenticationResponseJSON,
    { id, publicKey, counter }: StoredCredential,
    take: TakeChallenge,
  ): Promise<number | undefined> {
    const { verifyAuthenticationResponse } = await library();
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: take,
        expectedOrigin: this.origin,
        expectedRPID: this.id,
        credential: { id, publicKey: bytesOf(publicKey), counter },
      });
      return verified ? authenticationInfo.newCounter : undefined;
    } catch {
      return undefined;
    }
  }
}

function storedOf({ id, publicKey, counter, transports = [] }: WebAuthnCredential) {
  return { id, publicKey: toBase64url(publicKey), counter, transports };
}
