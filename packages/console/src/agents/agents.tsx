import type { Api } from "../api/client.js";
import { choicesOf } from "../ui/words.js";

export const STATES = choicesOf("pending", "active", "suspended", "revoked", "rejected");

/** Its name. What it says of itself is shown as such: anybody can claim any name. */
export function AgentName({ agent }: { readonly agent: Api["Agent"] }) {
  return (
    <>
      {agent.name}
      {agent.source === "self" && <span className="text-soft"> (claimed)</span>}
    </>
  );
}
