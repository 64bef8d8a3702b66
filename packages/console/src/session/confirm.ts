import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from "@simplewebauthn/browser";
import { send } from "../api/send.js";

/** Browsers bind passkeys to a host name. An IP address is not one. */
export function canUsePasskeys(): boolean {
  const isAddress = /^[\d.]+$|:/.test(window.location.hostname);
  return browserSupportsWebAuthn() && !isAddress;
}

/** Where the options of every use of a passkey come from. */
export const OPTIONS = "/v1/console/passkey-options";

/** The way out for somebody without their passkeys. A mailed link does not lead to a new one. */
export const LOST_PASSKEY =
  "If you lost your passkeys, ask another owner or operator to choose Settings → People → Lost device.";

/** Replaces the technical errors of the browser with a sentence. */
export async function plainErrors<Answer>(
  answer: Promise<Answer>,
  next = "Try again, or sign in another way.",
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "InvalidStateError") throw new Error("This device already has a passkey here.");
    throw new Error(`No passkey was used. ${next}`);
  }
}

/** Confirms a change with a passkey. */
export async function confirmWithPasskey(): Promise<void> {
  const optionsJSON = await send<PublicKeyCredentialRequestOptionsJSON>("POST", OPTIONS, {
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
  const passkey = await plainErrors(
    startAuthentication({ optionsJSON }),
    `Try again. ${LOST_PASSKEY}`,
  );
  await send("POST", "/v1/console/confirmation", { passkey });
}
