import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { SITE_TOPIC, type Site } from "../../domain/sites/site.js";
import { siteByHash } from "../../domain/sites/store.js";
import { ANY_CHANGE, type Change } from "../../infra/db/database.js";
import { KEY_TOPIC } from "../../infra/keys/key-ring.js";
import { MINUTE_MS } from "../../infra/time.js";
import { type Document, makeDocument } from "./document.js";
import type { DocumentName } from "./document-kinds.js";
import { Edition } from "./edition.js";
import { type Kept, KeptEditions } from "./kept-editions.js";

/** Signed bytes are made again when older than this: a fetched card has ten minutes left. */
export const REMAKE_AFTER_MS = 5 * MINUTE_MS;
/** Memory all kept documents may take. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

interface Making {
  readonly kept: Promise<Result<Kept, NoEdition>>;
}

type NoEdition = "not_found" | "pending_verification";

/**
 * The editions in use, bounded by bytes. Concurrent misses share one making; whatever a change
 * has overtaken, kept or in the making, is never kept again.
 */
export class DocumentCache {
  private readonly context: Context;
  private readonly kept: KeptEditions;
  private readonly making = new Map<string, Making>();

  constructor(context: Context, bytesMax = KEPT_BYTES_MAX) {
    this.context = context;
    this.kept = new KeptEditions(bytesMax);
    context.db.changes.subscribe((change) => this.overtake(change));
    context.metrics.gauge("gatehouse_document_bytes", () => this.kept.bytes);
  }

  /** A document that can be served as it is, by its path. */
  ready(path: string): Document | undefined {
    const found = this.kept.at(path);
    if (found === undefined || !this.isCurrent(found.kept)) return undefined;
    this.kept.use(found.kept);
    return found.document;
  }

  async document(siteKeyHash: string, name: DocumentName): Promise<Result<Document, NoEdition>> {
    const found = await this.find(siteKeyHash);
    return found.ok ? ok(await this.part(found.value, name)) : found;
  }

  private isYoung({ edition }: Kept): boolean {
    const age = this.context.clock.now() - edition.issuedAt;
    return age >= 0 && age < REMAKE_AFTER_MS;
  }

  private isCurrent(kept: Kept): boolean {
    return this.context.db.changes.live && this.isYoung(kept);
  }

  private find(siteKeyHash: string): Promise<Result<Kept, NoEdition>> {
    const kept = this.kept.of(siteKeyHash);
    if (kept !== undefined && this.isCurrent(kept)) {
      this.kept.use(kept);
      return Promise.resolve(ok(kept));
    }
    const under = this.making.get(siteKeyHash);
    if (under !== undefined) return under.kept;
    const making: Making = { kept: this.make(siteKeyHash, () => making) };
    this.making.set(siteKeyHash, making);
    return making.kept;
  }

  private async make(siteKeyHash: string, making: () => Making): Promise<Result<Kept, NoEdition>> {
    const { config, clock, db, keys, siteKeys } = this.context;
    try {
      const site = await siteByHash(db, siteKeyHash);
      if (site === undefined) return refuse("not_found", "");
      if (site.status !== "verified") return refuse("pending_verification", site.domain);
      const signer = await keys.signer("card");
      const same = this.stillGood(site, signer.kid);
      if (same !== undefined) return ok(same);
      const edition = new Edition({
        site,
        signer,
        baseUrl: config.baseUrl,
        issuedAt: clock.now(),
        keys: () => keys.listed("card"),
        siteKeys: () => siteKeys.listed(siteKeyHash),
      });
      const kept = this.kept.wrap(edition);
      // A change that came while we read has taken our place away.
      if (this.making.get(siteKeyHash) === making()) this.kept.keep(kept);
      return ok(kept);
    } finally {
      if (this.making.get(siteKeyHash) === making()) this.making.delete(siteKeyHash);
    }
  }

  /** Without news from other nodes every request asks the database; mostly nothing has changed. */
  private stillGood(site: Site, kid: string): Kept | undefined {
    const kept = this.kept.of(site.siteKeyHash);
    if (kept === undefined || !this.isYoung(kept)) return undefined;
    const { edition } = kept;
    return edition.site.version === site.version && edition.signer.kid === kid ? kept : undefined;
  }

  private part(kept: Kept, name: DocumentName): Promise<Document> {
    const known = kept.documents.get(name);
    if (known !== undefined) return known;
    const made = makeDocument(kept.edition, name);
    kept.documents.set(name, made);
    made.then(
      (document) => this.kept.add(kept, name, document),
      // What could not be made or signed is tried afresh by the next who asks.
      () => this.kept.forget(kept),
    );
    return made;
  }

  private overtake({ topic, id }: Change): void {
    if (topic === SITE_TOPIC) {
      this.making.delete(id);
      this.kept.drop(id);
    } else if (topic === KEY_TOPIC || topic === ANY_CHANGE.topic) {
      this.making.clear();
      this.kept.clear();
    }
  }
}
