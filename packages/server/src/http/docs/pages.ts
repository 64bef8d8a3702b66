import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { etagOf } from "../server/etag.js";
import { type LinkGroup, linkListsOf, renderMarkdown, sectionsOf } from "./markdown.js";
import { docsPage, FIRST_PAGE, searchResults } from "./page.js";
import { DocsIndex, type Section } from "./search.js";

export const FORMS = ["text/markdown", "text/html", "text/plain"] as const;
export type Form = (typeof FORMS)[number];

/** A page in one of its forms, ready to send. */
export interface DocsFile {
  readonly type: string;
  readonly bytes: Buffer<ArrayBuffer>;
  readonly etag: string;
}

export function docsFile(form: Form | "text/css", text: string): DocsFile {
  const type = `${form}; charset=utf-8`;
  const bytes = Buffer.from(text, "utf8");
  return Object.freeze({ type, bytes, etag: etagOf(bytes, type) });
}

const PICTURE = /^pictures\/[a-z-]+\.png$/;

/**
 * The pages of this build. Their names are read once, so a request cannot reach any other file. A page is
 * rendered at its first request and then cached; the number of pages limits the cache.
 */
export class DocsPages {
  private readonly folder: string;
  private readonly names: ReadonlySet<string>;
  private readonly pictures: ReadonlySet<string>;
  private readonly cache = new Map<string, Promise<DocsFile>>();
  private groups: readonly LinkGroup[] | undefined;
  private index: Promise<DocsIndex> | undefined;

  constructor(folder: string) {
    this.folder = folder;
    const files = existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: "utf8" })
      : [];
    const names = files.map((name) => name.replaceAll("\\", "/"));
    this.names = new Set(names.filter((name) => name.endsWith(".md")));
    this.pictures = new Set(names.filter((name) => PICTURE.test(name)));
  }

  get size(): number {
    return this.names.size;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  /** Undefined if this build has no such page. */
  async page(name: string, form: Form): Promise<DocsFile | undefined> {
    if (!this.has(name)) return undefined;
    const key = `${form} ${name}`;
    let page = this.cache.get(key);
    if (page === undefined) {
      page = this.render(name, form);
      this.cache.set(key, page);
      // A page that could not be read is tried again at the next request.
      page.catch(() => this.cache.delete(key));
    }
    return page;
  }

  /** Undefined if this build has no such picture. */
  async picture(name: string): Promise<DocsFile | undefined> {
    if (!this.pictures.has(name)) return undefined;
    const bytes = await readFile(this.folder + name);
    return { type: "image/png", bytes, etag: etagOf(bytes, "image/png") };
  }

  private async render(name: string, form: Form): Promise<DocsFile> {
    const text = await this.read(name);
    if (form !== "text/html") return docsFile(form, text);
    return docsFile(form, docsPage(name, await renderMarkdown(text), await this.linkGroups()));
  }

  /** A page with what was found for some words. */
  async search(query: string): Promise<DocsFile> {
    // An index that could not be made is tried again at the next request.
    this.index ??= this.makeIndex().catch((error: unknown) => {
      this.index = undefined;
      throw error;
    });
    const results = searchResults(query, (await this.index).search(query));
    return docsFile("text/html", docsPage(undefined, results, await this.linkGroups()));
  }

  private async makeIndex(): Promise<DocsIndex> {
    const sections: Section[] = [];
    for (const page of this.names) {
      const [first, ...others] = await sectionsOf(await this.read(page));
      if (first === undefined) continue;
      const pageTitle = first.heading;
      for (const section of [first, ...others]) sections.push({ page, pageTitle, ...section });
    }
    return new DocsIndex(sections);
  }

  private async linkGroups(): Promise<readonly LinkGroup[]> {
    this.groups ??= await linkListsOf(await this.read(FIRST_PAGE));
    return this.groups;
  }

  private read(name: string): Promise<string> {
    return readFile(this.folder + name, "utf8");
  }
}
