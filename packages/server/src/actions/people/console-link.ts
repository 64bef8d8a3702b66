import type { Context } from "../../context.js";
import { countOperators } from "../../domain/access/people/store.js";
import { hasRole, type Principal } from "../../domain/access/principal.js";

/** The code of a link that a token gets. */
export interface ConsoleLink {
  readonly code: string;
  readonly expiresAt: number;
  /** Whether the first owner makes an account with it, instead of signing in with the token. */
  readonly setUp: boolean;
}

/** A link to the console. As long as no person is an operator, an operator's token sets up the first one. */
export async function newConsoleLink(
  { consoleSessions, db }: Context,
  principal: Principal,
): Promise<ConsoleLink> {
  const setUp = hasRole(principal, "operator") && (await countOperators(db)) === 0;
  return { ...(await consoleSessions.newCode(principal, { setUp })), setUp };
}
