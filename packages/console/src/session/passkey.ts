import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { call } from "../api/client.js";
import { OPTIONS, plainErrors } from "./confirm.js";

/** Asks for a passkey to sign in. */
export async function passkeyToSignIn() {
  const optionsJSON = await call<PublicKeyCredentialRequestOptionsJSON>("POST", OPTIONS, {
    purpose: "sign_in",
  });
  return plainErrors(startAuthentication({ optionsJSON }));
}

/** Creates a passkey on this device. */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await call<PublicKeyCredentialCreationOptionsJSON>("POST", OPTIONS, {
    purpose: "register",
  });
  const passkey = await plainErrors(startRegistration({ optionsJSON }));
  await call("POST", "/v1/console/passkeys", { name, passkey });
}
