import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export interface Account {
  email: string;
  email_verified: boolean;
}

/** The secret of the client `gatehouse` at the provider. */
export const CLIENT_SECRET = "s".repeat(32);

/** A real OpenID provider of one company, whose people are in `accounts`, by their id. */
export async function startProvider(redirectUri: string, accounts: Record<string, Account>) {
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: "gatehouse", client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: true } },
    findAccount: (_ctx, sub) =>
      accounts[sub] && {
        accountId: sub,
        claims: async () => ({ sub, ...accounts[sub] }),
      },
    cookies: { keys: ["some secret of the tests"] },
    pkce: { required: () => true },
  });
  http.on("request", provider.callback());
  const stop = () => {
    http.closeAllConnections();
    http.close();
  };
  return { issuer, stop };
}
