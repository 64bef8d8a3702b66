import { ok, type Result, refuse, type Signer, signCard, signCatalog } from "@gatehouse/protocol";
import { offeredProducts } from "../../actions/products/find-products.js";
import { shownAnswers } from "../../actions/questions/read-questions.js";
import type { Context } from "../../context.js";
import type { LiveSite } from "../../domain/sites/live-sites.js";
import { MINUTE_MS } from "../../infra/time.js";
import {
  DOCUMENTS,
  type Document,
  type DocumentName,
  type DocumentSource,
  makeDocument,
  takesKey,
} from "./document-kinds.js";

/** Signed bytes are made again when older than this: a fetched card has ten minutes left. */
export const REMAKE_AFTER_MS = 5 * MINUTE_MS;
/** What a document weighs, as measured: twice its length with what was signed, and its headers. */
const DOCUMENT_BYTES = 1024;
const DOCUMENT_WEIGHT = 2;

/** The documents of a site as of one moment: one snapshot, one key, one date. */
interface SiteDocuments extends DocumentSource {
  readonly kid: string;
  readonly issuedAt: number;
  /** Those that were requested; a promise while one is being made. */
  readonly byName: Map<DocumentName, Document | Promise<Document>>;
  bytes: number;
}

type NoDocument = "not_found" | "pending_verification";

/** Makes a value when it is first needed, for all who need it: the page carries the card served. */
function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** Whether a text names the site in the path of a document: some paths take the hash only. */
function isNamed({ site }: LiveSite, text: string, name: DocumentName): boolean {
  return text === site.siteKeyHash || takesKey(DOCUMENTS[name]);
}

/**
 * The signed documents of live sites. They belong to the version of the site they were made from,
 * so the cache of sites bounds their memory and drops them when the site or the key changes.
 */
export class DocumentCache {
  private readonly context: Context;
  private readonly bySite = new WeakMap<LiveSite, SiteDocuments>();

  constructor(context: Context) {
    this.context = context;
    const { liveSites, metrics } = context;
    metrics.gauge("gatehouse_document_bytes", () => liveSites.documentBytes);
  }

  /** A document that can be served as it is. */
  ready(siteName: string, name: DocumentName): Document | undefined {
    const live = this.context.liveSites.ready(siteName);
    if (live === undefined || !isNamed(live, siteName, name)) return undefined;
    const documents = this.bySite.get(live);
    if (documents === undefined || !this.isYoung(documents)) return undefined;
    const document = documents.byName.get(name);
    return document instanceof Promise ? undefined : document;
  }

  /** Reads the site and makes the document if they are not in the cache. */
  async find(siteName: string, name: DocumentName): Promise<Result<Document, NoDocument>> {
    const { keys, liveSites } = this.context;
    const live = await liveSites.find(siteName);
    if (live === undefined || !isNamed(live, siteName, name)) return refuse("not_found", "");
    const { domain, status } = live.site;
    if (status !== "verified") return refuse("pending_verification", domain);
    // After the site: a key that changes later drops the site, and with it what the old key signs.
    const signer = await keys.signer("card");
    const cached = this.bySite.get(live);
    const isCurrent = cached?.kid === signer.kid && this.isYoung(cached);
    const documents = isCurrent ? cached : this.start(live, signer);
    return ok(await (documents.byName.get(name) ?? this.make(live, documents, name)));
  }

  private isYoung({ issuedAt }: SiteDocuments): boolean {
    const age = this.context.clock.now() - issuedAt;
    return age >= 0 && age < REMAKE_AFTER_MS;
  }

  private start(live: LiveSite, signer: Signer): SiteDocuments {
    const { clock, keys, siteKeys } = this.context;
    const { site, snapshot } = live;
    const issuedAt = clock.now();
    const documents: SiteDocuments = {
      site,
      snapshot,
      card: lazy(() => signCard(snapshot, signer, issuedAt)),
      catalog: lazy(() => signCatalog(snapshot, signer, issuedAt)),
      keys: () => keys.listed("card"),
      siteKeys: () => siteKeys.listed(site.siteKeyHash),
      products: lazy(() => offeredProducts(this.context, live)),
      answers: lazy(() => shownAnswers(this.context, site.siteKeyHash)),
      kid: signer.kid,
      issuedAt,
      byName: new Map(),
      bytes: 0,
    };
    this.bySite.set(live, documents);
    return documents;
  }

  private make(live: LiveSite, documents: SiteDocuments, name: DocumentName): Promise<Document> {
    const making = makeDocument(DOCUMENTS[name], documents);
    documents.byName.set(name, making);
    const isCurrent = () => this.bySite.get(live) === documents;
    making.then(
      (document) => {
        documents.byName.set(name, document);
        documents.bytes += document.bytes.length * DOCUMENT_WEIGHT + DOCUMENT_BYTES;
        if (isCurrent()) this.context.liveSites.setDocumentBytes(live, documents.bytes);
      },
      // The next request tries again to make or to sign it.
      () => isCurrent() && this.bySite.delete(live),
    );
    return making;
  }
}
