import type { PolicyVersion } from "@gatehouse/protocol";

/** A published version of a site's rules. */
export interface PublishedPolicy extends PolicyVersion {
  readonly publishedAt: number;
}

/** A version as a list of them shows it: documents can be long. */
export type ListedPolicy = Omit<PublishedPolicy, "document">;
