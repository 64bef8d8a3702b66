import type { Classification, ReportedSignature } from "@gatehouse/protocol";

/** What a signature on a page request was worth; told by an edge only. */
export type VisitSignature = ReportedSignature;

/** One page load. Times are milliseconds. */
export interface Visit {
  readonly visitId: string;
  readonly siteKeyHash: string;
  readonly observedAt: number;
  readonly receivedAt: number;
  readonly source: "beacon" | "edge";
  readonly classification: Classification;
  readonly agent: { readonly name: string; readonly operator: string } | null;
  readonly signature: VisitSignature | null;
  readonly pageUrl: string | null;
  /** The page belongs to another host than the site: shown, but not counted. */
  readonly offSite: boolean;
}

/** Which visits a list or a count is about. */
export interface VisitFilter {
  readonly source?: Visit["source"] | undefined;
  readonly classification: Classification | undefined;
  readonly agent: string | undefined;
  /** Included. */
  readonly from: number | undefined;
  /** Excluded. */
  readonly to: number | undefined;
}
