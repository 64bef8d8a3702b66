import type { Context } from "../../context.js";
import type { Principal } from "../../owners/tokens/token.js";

/** Where the console is. */
export const CONSOLE_PATH = "/console";

/** A link that signs in, once. Its code stands behind the #: browsers send that to nobody. */
export async function consoleLink({ config, consoleDesk }: Context, principal: Principal) {
  const { code, expiresAt } = await consoleDesk.newCode(principal);
  return { url: `${config.baseUrl}${CONSOLE_PATH}#code=${code}`, expiresAt };
}
