import type { Context } from "../../context.js";
import type { SignInDesk } from "../../domain/tokens/sign-in-desk.js";
import type { Principal } from "../../domain/tokens/token.js";
import { Problem } from "./problem.js";

/** Whom a token stands for; undefined for nobody. An address that failed too often is told to wait. */
export async function holderOf<Holder>(
  desk: SignInDesk<Holder>,
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
  { signInDesk }: Context,
  authorization: string | undefined,
  address: string,
): Promise<Principal | undefined> {
  return holderOf(signInDesk, authorization, address);
}
