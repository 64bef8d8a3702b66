import type { Context } from "../context.js";
import type { Principal } from "../owners/tokens/token.js";
import { Problem } from "../platform/http/problem.js";

/** Who is asking; undefined for nobody we know. An address that failed too often is told to wait. */
export async function principalOf(
  { signInDesk }: Context,
  authorization: string | undefined,
  address: string,
): Promise<Principal | undefined> {
  const result = await signInDesk.admit(authorization, address);
  if (!result.ok && result.reason === "rate_limited") {
    throw new Problem("rate_limited", { headers: { "retry-after": result.detail } });
  }
  return result.ok ? result.value : undefined;
}
