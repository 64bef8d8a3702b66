import type { JsonObject, RecordType } from "@gatehouse/protocol";

/** A record to be written. The log adds its position and time. */
export interface RecordDraft {
  readonly type: RecordType;
  /** The site whose log it goes to, if it is not the site of the commit. */
  readonly siteKeyHash?: string | undefined;
  /** The id, if something written with the record refers to it. */
  readonly recordId?: string | undefined;
  /** When it happened, by the clock of the caller. */
  readonly occurredAt: number;
  readonly content: JsonObject;
}

/** Who did it: the id of a token, a person or an agent, or the service itself. Never a name or a token. */
export interface Actor extends JsonObject {
  readonly kind: "token" | "person" | "service" | "agent";
  readonly id: string;
  readonly role: string;
}

/** A job or another part of the service. */
export function serviceActor(id: string): Actor {
  return { kind: "service", id, role: "service" };
}

/** The owner's payment provider, which reports a change. The person who made it is unknown here. */
export function providerActor(name: string): Actor {
  return { kind: "service", id: `processor ${name}`, role: "service" };
}

/** The shop system of a site. The person who made the change there is unknown here. */
export function shopActor(connectionId: string): Actor {
  return { kind: "service", id: `shop ${connectionId}`, role: "service" };
}

/** An agent with a valid signature. */
export function agentActor(agentId: string): Actor {
  return { kind: "agent", id: agentId, role: "agent" };
}

/** The holder of a token, or a person. */
export function principalActor({
  kind,
  id,
  role,
}: {
  readonly kind: "token" | "person";
  readonly id: string;
  readonly role: string;
}): Actor {
  return { kind, id, role };
}

export function personActor(id: string, role: string): Actor {
  return { kind: "person", id, role };
}

/** A record of something that an actor did. */
export function actorDraft(
  type:
    | ("site.changed" | "audit.read" | "audit.exported")
    | ("token.issued" | "token.revoked" | "clock.accepted")
    | ("person.invited" | "person.joined" | "person.changed"),
  actor: Actor,
  occurredAt: number,
  content: JsonObject,
): RecordDraft {
  return { type, occurredAt, content: { actor: { ...actor }, ...content } };
}
