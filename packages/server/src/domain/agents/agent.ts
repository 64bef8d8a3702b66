import type { Ed25519Jwk, KeySource } from "@gatehouse/protocol";

export const AGENT_STATUSES = ["pending", "active", "suspended", "revoked", "rejected"] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export const AGENT_NAME_CHARS_MAX = 80;
export const AGENT_TAGS_MAX = 20;

/** An agent that sends requests to a site. */
export interface Agent {
  readonly agentId: string;
  /** Its identity for limits: its id, or the domain of its key source if it was approved automatically. */
  readonly identity: string;
  readonly siteKeyHash: string;
  /** Not verified if the agent registered itself. */
  readonly name: string;
  readonly contact: string | null;
  readonly operatorUrl: string | null;
  /** Where the key was found at registration. */
  readonly keySource: KeySource | null;
  readonly source: "admin" | "self";
  readonly status: AgentStatus;
  /** The actions the agent may request; null means all. */
  readonly scopes: readonly string[] | null;
  readonly requestedScopes: readonly string[];
  /** Labels that the owner gave the agent. Policies can refer to them. */
  readonly tags: readonly string[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly changedBy: string | null;
  readonly changedAt: number | null;
  /** When a pending agent is deleted. */
  readonly expiresAt: number | null;
}

export interface RegisteredKey {
  readonly siteKeyHash: string;
  readonly kid: string;
  readonly agentId: string;
  readonly jwk: Ed25519Jwk;
  readonly status: "active" | "revoked";
  readonly createdAt: number;
  /** When the key stops being valid because another key replaced it. */
  readonly notAfter: number | null;
}
