import type { Document } from "./document.js";
import { DOCUMENTS, type DocumentName, pathsOf } from "./document-kinds.js";
import type { Edition } from "./edition.js";

/**
 * What is kept besides the bytes served, as measured: the site, its snapshot and the signed trees
 * weigh a few times the skills they are made of; a document, about its own length again.
 */
const EDITION_BYTES = 4096;
const SKILL_WEIGHT = 4;
const DOCUMENT_BYTES = 1024;
const DOCUMENT_WEIGHT = 2;
/** Part of the limit that is left after eviction, so that it is rare. */
const EVICT_TO = 0.9;

/** An edition with the documents that were asked of it. */
export interface Kept {
  readonly edition: Edition;
  readonly documents: Map<DocumentName, Promise<Document>>;
  readonly paths: string[];
  bytes: number;
  /** Counts up with every use of any edition. */
  usedAt: number;
}

/** Editions by site, and their documents by path, bounded by bytes: the longest unused go first. */
export class KeptEditions {
  private readonly bytesMax: number;
  private readonly bySite = new Map<string, Kept>();
  private readonly byPath = new Map<string, { readonly kept: Kept; readonly document: Document }>();
  private uses = 0;
  /** What all of it weighs. */
  bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get size(): number {
    return this.bySite.size;
  }

  of(siteKeyHash: string): Kept | undefined {
    return this.bySite.get(siteKeyHash);
  }

  at(path: string) {
    return this.byPath.get(path);
  }

  use(kept: Kept): void {
    kept.usedAt = this.uses++;
  }

  /** An edition to hand out; it is kept only once {@link keep} is called. */
  wrap(edition: Edition): Kept {
    const skills = JSON.stringify(edition.site.skills).length;
    const bytes = EDITION_BYTES + SKILL_WEIGHT * skills;
    return { edition, documents: new Map(), paths: [], bytes, usedAt: this.uses++ };
  }

  keep(kept: Kept): void {
    const { siteKeyHash } = kept.edition.site;
    this.drop(siteKeyHash);
    this.bySite.set(siteKeyHash, kept);
    this.bytes += kept.bytes;
    this.evict();
  }

  /** Counts a document that was made of a kept edition, and puts it at its paths. */
  add(kept: Kept, name: DocumentName, document: Document): void {
    if (!this.holds(kept)) return;
    const weight = document.bytes.length * DOCUMENT_WEIGHT + DOCUMENT_BYTES;
    kept.bytes += weight;
    this.bytes += weight;
    for (const path of pathsOf(DOCUMENTS[name], kept.edition.site)) {
      kept.paths.push(path);
      this.byPath.set(path, { kept, document });
    }
    this.evict();
  }

  /** Lets go of an edition, unless a newer one has taken its place. */
  forget(kept: Kept): void {
    if (this.holds(kept)) this.drop(kept.edition.site.siteKeyHash);
  }

  drop(siteKeyHash: string): void {
    const kept = this.bySite.get(siteKeyHash);
    if (kept === undefined) return;
    this.bySite.delete(siteKeyHash);
    this.bytes -= kept.bytes;
    for (const path of kept.paths) this.byPath.delete(path);
  }

  clear(): void {
    this.bySite.clear();
    this.byPath.clear();
    this.bytes = 0;
  }

  private holds(kept: Kept): boolean {
    return this.bySite.get(kept.edition.site.siteKeyHash) === kept;
  }

  private evict(): void {
    if (this.bytes <= this.bytesMax) return;
    const byUse = [...this.bySite].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [siteKeyHash] of byUse) {
      if (this.bytes <= this.bytesMax * EVICT_TO) return;
      this.drop(siteKeyHash);
    }
  }
}
