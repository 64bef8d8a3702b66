import type { Ed25519Jwk, KeySource } from "@gatehouse/protocol";

export const AGENT_STATUSES = ["pending", "active", "suspended", "revoked", "rejected"] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export const AGENT_NAME_CHARS_MAX = 80;
export const AGENT_TAGS_MAX = 20;

/** Who asks a site for something. */
export interface Agent {
  readonly agentId: string;
  /** Its identity for limits: its id, or the domain of its key source if it was approved automatically. */
  readonly identity: string;
  readonly siteKeyHash: string;
  /** Claimed, where it registered itself. */
  readonly name: string;
  readonly contact: string | null;
  readonly operatorUrl: string | null;
  /** Where its key was found when it registered. */
  readonly keySource: KeySource | null;
  readonly source: "admin" | "self";
  readonly status: AgentStatus;
  /** What it may ask for; null for everything. */
  readonly scopes: readonly string[] | null;
  readonly requestedScopes: readonly string[];
  /** The owner's own words for it, which policies may name. */
  readonly tags: readonly string[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly changedBy: string | null;
  readonly changedAt: number | null;
  /** When a pending one is forgotten. */
  readonly expiresAt: number | null;
}

/** A key of an agent. */
export interface RegisteredKey {
  readonly siteKeyHash: string;
  readonly kid: string;
  readonly agentId: string;
  readonly jwk: Ed25519Jwk;
  readonly status: "active" | "revoked";
  readonly createdAt: number;
  /** After it another key has taken over. */
  readonly notAfter: number | null;
}
