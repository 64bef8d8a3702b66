import type { Context } from "../../context.js";
import type { Principal } from "../../domain/tokens/token.js";
import type { TokenAuthenticator } from "../../domain/tokens/token-authenticator.js";
import { Problem } from "./problem.js";

/** Whom a token stands for; undefined for nobody. An address that failed too often is told to wait. */
export async function holderOf<Holder>(
  desk: TokenAuthenticator<Holder>,
  authorization: string | undefined,
  address: string,
): Promise<Holder | undefined> {
  const result = await desk.admit(authorization, address);
  if (!result.ok && result.reason === "rate_limited") {
    throw new Problem("rate_limited", { headers: { "retry-after": result.detail } });
  }
  return result.ok ? result.value : undefined;
}

/** Who is asking; undefined for nobody we know. */
export function principalOf(
  { tokenAuthenticator: signInDesk }: Context,
  authorization: string | undefined,
  address: string,
): Promise<Principal | undefined> {
  return holderOf(signInDesk, authorization, address);
}
