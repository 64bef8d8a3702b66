import type { Api } from "../api/client.js";
import { skillTitle } from "../ui/skill-title.js";
import { choicesOf } from "../ui/words.js";

export const STATES = {
  ...choicesOf("pending", "active", "suspended", "revoked", "rejected"),
  pending: "Waiting for approval",
};

/** The word for its state: `pending` means something else for payments and reviews. */
export function agentState({ status }: Pick<Api["Agent"], "status">): string {
  return status === "pending" ? "waiting_for_approval" : status;
}

/** The name of an agent. A name that the agent gave itself is marked, because anybody can claim any name. */
export function AgentName({ agent }: { readonly agent: Api["Agent"] }) {
  return (
    <>
      {agent.name}
      {agent.source === "self" && <span className="text-soft"> (self-reported)</span>}
    </>
  );
}

/** What an agent may do, as people say it: “Place an order” for `skill:place_order`. */
export function scopeText(scope: string): string {
  const [kind, name = ""] = scope.split(":");
  return kind === "skill" ? skillTitle(name) : name || scope;
}
