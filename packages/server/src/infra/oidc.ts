import type { Configuration } from "openid-client";

/** The company's sign-in service (OpenID Connect). */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** On the button: "Sign in with …". */
  readonly name: string;
}

/** What a browser keeps while the person is at the sign-in service. */
export interface OidcAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who the sign-in service says it is. */
export interface OidcIdentity {
  /** The issuer and its id of the person; stays the same if the address changes. */
  readonly subject: string;
  /** Undefined unless the service has verified it. */
  readonly email: string | undefined;
}

const TIMEOUT_S = 10;
const EMAIL_CHARS_MAX = 254;

/** Loaded with the first sign-in, because most processes never see one. */
const library = () => import("openid-client");

/**
 * Signs people in with OpenID Connect: authorization code with PKCE, state and nonce. There is one issuer, so
 * answers of others cannot be mixed up with its own.
 */
export class OidcClient {
  readonly name: string;
  private readonly settings: OidcSettings;
  private readonly redirectUri: string;
  private configuration: Promise<Configuration> | undefined;

  constructor(settings: OidcSettings, redirectUri: string) {
    this.name = settings.name;
    this.settings = settings;
    this.redirectUri = redirectUri;
  }

  /** What the issuer says about itself. After a failure it is asked again. */
  private discovered(): Promise<Configuration> {
    this.configuration ??= this.discover().catch((error: unknown) => {
      this.configuration = undefined;
      throw error;
    });
    return this.configuration;
  }

  private async discover(): Promise<Configuration> {
    const { discovery, allowInsecureRequests } = await library();
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    // The configuration allows plain HTTP only in development.
    const execute = url.protocol === "http:" ? [allowInsecureRequests] : [];
    return discovery(url, clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_S });
  }

  /** Where to send the browser, and what it keeps. */
  async begin(): Promise<{ readonly url: string; readonly attempt: OidcAttempt }> {
    const oidc = await library();
    const configuration = await this.discovered();
    const attempt = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: "openid email",
      code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: "S256",
      state: attempt.state,
      nonce: attempt.nonce,
    });
    return { url: url.href, attempt };
  }

  /** Who came back; throws if the answer does not verify. `query`: what the address has after `?`. */
  async finish(query: string, attempt: OidcAttempt): Promise<OidcIdentity> {
    const { authorizationCodeGrant } = await library();
    const answer = new URL(this.redirectUri);
    answer.search = query;
    const tokens = await authorizationCodeGrant(await this.discovered(), answer, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("the sign-in service sent no ID token");
    const { iss, sub, email, email_verified } = claims;
    const verified = email_verified === true && typeof email === "string";
    const usable = verified && email.length <= EMAIL_CHARS_MAX;
    return { subject: `${iss} ${sub}`, email: usable ? email.toLowerCase() : undefined };
  }
}
