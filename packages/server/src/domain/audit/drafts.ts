import type { JsonObject, RecordType } from "@gatehouse/protocol";

/** What somebody wants recorded; the log adds where and when. */
export interface RecordDraft {
  readonly type: RecordType;
  /** The site whose log it goes to, where that is not the one being committed to. */
  readonly siteKeyHash?: string | undefined;
  /** Its id, where something written with it has to name it. */
  readonly recordId?: string | undefined;
  /** When it happened, by the caller's clock. */
  readonly occurredAt: number;
  readonly content: JsonObject;
}

/** Who did it: a token or an agent by its id, or the service itself. Never a name, never a token. */
export interface Actor extends JsonObject {
  readonly kind: "token" | "service" | "agent";
  readonly id: string;
  readonly role: string;
}

/** A job or another part of the service, acting by itself. */
export function serviceActor(id: string): Actor {
  return { kind: "service", id, role: "service" };
}

/** The owner's processor, by what it says of a payment: whoever acted there is not known here. */
export function providerActor(name: string): Actor {
  return { kind: "service", id: `processor ${name}`, role: "service" };
}

/** An agent, by a signature that holds. */
export function agentActor(agentId: string): Actor {
  return { kind: "agent", id: agentId, role: "agent" };
}

export function tokenActor({ tokenId, role }: { readonly tokenId: string; readonly role: string }) {
  return { kind: "token", id: tokenId, role } satisfies Actor;
}

/** A record of something that somebody did. */
export function actorDraft(
  type:
    | ("site.changed" | "audit.read" | "audit.exported")
    | ("token.issued" | "token.revoked" | "clock.accepted"),
  actor: Actor,
  occurredAt: number,
  content: JsonObject,
): RecordDraft {
  return { type, occurredAt, content: { actor: { ...actor }, ...content } };
}
