import type { Classification, ReportedSignature } from "@gatehouse/protocol";
import { HOUR_MS, MINUTE_MS } from "../../infra/time.js";

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

/** A visit that is to be written, with the start of the hour that counts it. */
export interface NewVisit extends Visit {
  readonly hour: number;
}

/** The start of the hour that contains a moment, where hours begin at a minute of the UTC hour. */
export function hourOf(at: number, startMinute: number): number {
  return at - ((at - startMinute * MINUTE_MS) % HOUR_MS);
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
