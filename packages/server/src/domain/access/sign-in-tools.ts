import type { Ids } from "../../infra/ids.js";
import { OidcClient, type OidcSettings } from "../../infra/oidc.js";
import type { Secrets } from "../../infra/secrets/secrets.js";
import { RelyingParty } from "../../infra/webauthn.js";
import { PasskeyChallenges } from "./passkeys/challenges.js";

/** Where the company's sign-in service sends browsers back to. */
export const OIDC_CALLBACK = "/v1/console/oidc/callback";

/** How people prove who they are, other than with links. */
export interface SignInTools {
  readonly challenges: PasskeyChallenges;
  readonly party: RelyingParty;
  /** Undefined unless the operator has configured a sign-in service. */
  readonly oidc: OidcClient | undefined;
}

export function signInToolsOf(
  { baseUrl, oidc }: { readonly baseUrl: string; readonly oidc: OidcSettings | undefined },
  secrets: Secrets,
  ids: Ids,
): SignInTools {
  return {
    challenges: new PasskeyChallenges(secrets, ids),
    party: new RelyingParty(baseUrl),
    oidc: oidc && new OidcClient(oidc, baseUrl + OIDC_CALLBACK),
  };
}
