import type { Classification, ReportedSignature } from "@gatehouse/protocol";

/** The verified signature of a page request. Only edges report it. */
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

/** An undefined property does not restrict the list or the count. */
export interface VisitFilter {
  readonly source?: Visit["source"] | undefined;
  readonly classification: Classification | undefined;
  readonly agent: string | undefined;
  /** Included. */
  readonly from: number | undefined;
  /** Excluded. */
  readonly to: number | undefined;
}
