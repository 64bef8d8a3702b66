import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { call } from "../api/client.js";

/** Browsers bind passkeys to a host name. An IP address is not one. */
export function canUsePasskeys(): boolean {
  const isAddress = /^[\d.]+$|:/.test(window.location.hostname);
  return browserSupportsWebAuthn() && !isAddress;
}

const OPTIONS = "/v1/console/passkey-options";

/** Replaces the technical errors of the browser with a sentence. */
async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "InvalidStateError") throw new Error("This device already has a passkey here.");
    throw new Error("No passkey was used. Try again, or sign in another way.");
  }
}

/** Asks for a passkey to sign in. */
export async function passkeyToSignIn() {
  const optionsJSON = await call<PublicKeyCredentialRequestOptionsJSON>("POST", OPTIONS, {
    purpose: "sign_in",
  });
  return asked(startAuthentication({ optionsJSON }));
}

/** Creates a passkey on this device. */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await call<PublicKeyCredentialCreationOptionsJSON>("POST", OPTIONS, {
    purpose: "register",
  });
  const passkey = await asked(startRegistration({ optionsJSON }));
  await call("POST", "/v1/console/passkeys", { name, passkey });
}

/** Confirms a change with a passkey. */
export async function confirmWithPasskey(): Promise<void> {
  const optionsJSON = await call<PublicKeyCredentialRequestOptionsJSON>("POST", OPTIONS, {
    purpose: "confirm",
  });
  if (!canUsePasskeys()) {
    throw new Error(
      "Confirm this change with a passkey. Passkeys do not work at an IP address: open the console at its host name, or sign in with a token.",
    );
  }
  if ((optionsJSON.allowCredentials ?? []).length === 0) {
    throw new Error("This needs a passkey. Add one in your account first.");
  }
  const passkey = await asked(startAuthentication({ optionsJSON }));
  await call("POST", "/v1/console/confirmation", { passkey });
}
