import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { hashesOf } from "../../owners/sites/find.js";
import { SITE_TOPIC, type Site } from "../../owners/sites/site.js";
import { siteByHash } from "../../owners/sites/store.js";
import { ANY_CHANGE, type Change } from "../../platform/db/changes.js";
import { KEY_TOPIC } from "../../platform/keys/key-ring.js";
import { type Document, makeDocument } from "./document.js";
import { Edition } from "./edition.js";
import { DOCUMENTS, type DocumentName, documentAt, pathsOf } from "./kinds.js";

/** Signed bytes are made again when older than this: a fetched card has ten minutes left. */
export const REMAKE_AFTER_MS = 5 * 60_000;
/** Memory all kept documents may take; the longest unused go first. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;
/**
 * What is kept besides the bytes served, as measured: the site, its snapshot and the signed trees
 * weigh a few times the skills they are made of; a document, about its own length again.
 */
const EDITION_BYTES = 4096;
const SKILL_WEIGHT = 4;
const DOCUMENT_BYTES = 1024;
const DOCUMENT_WEIGHT = 2;
const EVICT_TO = 0.9;

interface Kept {
  readonly edition: Edition;
  readonly documents: Map<DocumentName, Promise<Document>>;
  readonly paths: string[];
  bytes: number;
  /** Counts up with every use of any edition. */
  usedAt: number;
}

interface Making {
  readonly kept: Promise<Result<Kept, NoEdition>>;
}

type NoEdition = "not_found" | "pending_verification";

/**
 * The editions in use, bounded by bytes. Concurrent misses share one making; whatever a change
 * has overtaken, kept or in the making, is never kept again.
 */
export class Editions {
  private readonly context: Context;
  private readonly bytesMax: number;
  private readonly kept = new Map<string, Kept>();
  private readonly making = new Map<string, Making>();
  /** Documents by the exact path they stand at, for answers without any routing. */
  private readonly byPath = new Map<string, { readonly kept: Kept; readonly document: Document }>();
  private bytes = 0;
  private uses = 0;

  constructor(context: Context, bytesMax = KEPT_BYTES_MAX) {
    this.context = context;
    this.bytesMax = bytesMax;
    context.db.changes.subscribe((change) => this.overtake(change));
    const read = () => this.bytes;
    context.metrics.gauge("gatehouse_document_bytes", "Signed documents kept in memory.", read);
  }

  /** A document that can be served as it is, by its path. */
  ready(path: string): Document | undefined {
    const found = this.byPath.get(path);
    if (found === undefined || !this.isCurrent(found.kept)) return undefined;
    found.kept.usedAt = this.uses++;
    return found.document;
  }

  /** The document a path names, made if it must be; undefined where there is none to serve. */
  async at(path: string): Promise<Document | undefined> {
    const named = documentAt(path);
    if (named === undefined) return undefined;
    for (const hash of await hashesOf(named.site, named.naming)) {
      const found = await this.document(hash, named.name);
      if (found.ok) return found.value;
    }
    return undefined;
  }

  async document(siteKeyHash: string, name: DocumentName): Promise<Result<Document, NoEdition>> {
    const found = await this.find(siteKeyHash);
    return found.ok ? ok(await this.part(found.value, name)) : found;
  }

  private isCurrent({ edition }: Kept): boolean {
    const age = this.context.clock.now() - edition.issuedAt;
    return age >= 0 && age < REMAKE_AFTER_MS && this.context.db.changes.live;
  }

  private find(siteKeyHash: string): Promise<Result<Kept, NoEdition>> {
    const kept = this.kept.get(siteKeyHash);
    if (kept !== undefined && this.isCurrent(kept)) {
      kept.usedAt = this.uses++;
      return Promise.resolve(ok(kept));
    }
    const under = this.making.get(siteKeyHash);
    if (under !== undefined) return under.kept;
    const making: Making = { kept: this.make(siteKeyHash, () => making) };
    this.making.set(siteKeyHash, making);
    return making.kept;
  }

  private async make(siteKeyHash: string, making: () => Making): Promise<Result<Kept, NoEdition>> {
    const { config, clock, db, keys } = this.context;
    try {
      const site = await siteByHash(db, siteKeyHash);
      if (site === undefined) return refuse("not_found", "");
      if (site.status !== "verified") return refuse("pending_verification", site.domain);
      const signer = await keys.signer("card");
      const same = this.stillGood(site, signer.kid);
      if (same !== undefined) return ok(same);
      const edition = new Edition({
        ...{ site, signer, baseUrl: config.baseUrl, issuedAt: clock.now() },
        keys: () => keys.listed("card"),
      });
      const kept = {
        edition,
        usedAt: this.uses++,
        documents: new Map(),
        paths: [],
        bytes: EDITION_BYTES + SKILL_WEIGHT * JSON.stringify(site.skills).length,
      };
      // A change that came while we read has taken our place away.
      if (this.making.get(siteKeyHash) === making()) this.keep(kept);
      return ok(kept);
    } finally {
      if (this.making.get(siteKeyHash) === making()) this.making.delete(siteKeyHash);
    }
  }

  /** Without news from other nodes every request asks the database; mostly nothing has changed. */
  private stillGood(site: Site, kid: string): Kept | undefined {
    const kept = this.kept.get(site.siteKeyHash);
    if (kept === undefined) return undefined;
    const { edition } = kept;
    const age = this.context.clock.now() - edition.issuedAt;
    const young = age >= 0 && age < REMAKE_AFTER_MS;
    const same = edition.site.version === site.version && edition.signer.kid === kid;
    return young && same ? kept : undefined;
  }

  private part(kept: Kept, name: DocumentName): Promise<Document> {
    const known = kept.documents.get(name);
    if (known !== undefined) return known;
    const made = makeDocument(kept.edition, name);
    kept.documents.set(name, made);
    made.then(
      (document) => this.weigh(kept, name, document),
      () => this.forget(kept),
    );
    return made;
  }

  private weigh(kept: Kept, name: DocumentName, document: Document): void {
    const { site } = kept.edition;
    if (!this.holds(kept)) return;
    const weight = document.bytes.length * DOCUMENT_WEIGHT + DOCUMENT_BYTES;
    kept.bytes += weight;
    this.bytes += weight;
    for (const path of pathsOf(DOCUMENTS[name], site)) {
      kept.paths.push(path);
      this.byPath.set(path, { kept, document });
    }
    this.evict();
  }

  private holds(kept: Kept): boolean {
    return this.kept.get(kept.edition.site.siteKeyHash) === kept;
  }

  /** What could not be made or signed is tried afresh by the next who asks. */
  private forget(kept: Kept): void {
    if (this.holds(kept)) this.drop(kept.edition.site.siteKeyHash);
  }

  private keep(kept: Kept): void {
    const { siteKeyHash } = kept.edition.site;
    this.drop(siteKeyHash);
    this.kept.set(siteKeyHash, kept);
    this.bytes += kept.bytes;
    this.evict();
  }

  /** Whoever was not asked for longest goes first; a little more than needed, so it is rare. */
  private evict(): void {
    if (this.bytes <= this.bytesMax) return;
    const byUse = [...this.kept].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [siteKeyHash] of byUse) {
      if (this.bytes <= this.bytesMax * EVICT_TO) return;
      this.drop(siteKeyHash);
    }
  }

  private drop(siteKeyHash: string): void {
    const kept = this.kept.get(siteKeyHash);
    if (kept === undefined) return;
    this.kept.delete(siteKeyHash);
    this.bytes -= kept.bytes;
    for (const path of kept.paths) this.byPath.delete(path);
  }

  private overtake({ topic, id }: Change): void {
    if (topic === SITE_TOPIC) {
      this.making.delete(id);
      this.drop(id);
    } else if (topic === KEY_TOPIC || topic === ANY_CHANGE.topic) {
      this.making.clear();
      for (const siteKeyHash of [...this.kept.keys()]) this.drop(siteKeyHash);
    }
  }
}
