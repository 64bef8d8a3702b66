import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { call } from "../api/client.js";

/** Browsers bind a passkey to a host name. An address such as 127.0.0.1 has none. */
export function canUsePasskeys(): boolean {
  const isAddress = /^[\d.]+$|:/.test(window.location.hostname);
  return browserSupportsWebAuthn() && !isAddress;
}

const OPTIONS = "/v1/console/passkey-options";

/** The browser's own errors name the API; people get a sentence instead. */
async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "InvalidStateError") throw new Error("This device already has a passkey here.");
    throw new Error("No passkey was used. Try again, or sign in another way.");
  }
}

/** The answer of one of somebody's passkeys, to sign in. */
export async function passkeyToSignIn() {
  const optionsJSON = await call<PublicKeyCredentialRequestOptionsJSON>("POST", OPTIONS, {
    purpose: "sign_in",
  });
  return asked(startAuthentication({ optionsJSON }));
}

/** Makes a passkey on this device. */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await call<PublicKeyCredentialCreationOptionsJSON>("POST", OPTIONS, {
    purpose: "register",
  });
  const passkey = await asked(startRegistration({ optionsJSON }));
  await call("POST", "/v1/console/passkeys", { name, passkey });
}

/** Confirms with a passkey that the person is still there. */
export async function confirmWithPasskey(): Promise<void> {
  const optionsJSON = await call<PublicKeyCredentialRequestOptionsJSON>("POST", OPTIONS, {
    purpose: "confirm",
  });
  if (!canUsePasskeys()) {
    throw new Error("This needs a passkey, and passkeys need a host name. Use a token instead.");
  }
  if ((optionsJSON.allowCredentials ?? []).length === 0) {
    throw new Error("This needs a passkey. Add one in your account first.");
  }
  const passkey = await asked(startAuthentication({ optionsJSON }));
  await call("POST", "/v1/console/confirmation", { passkey });
}
