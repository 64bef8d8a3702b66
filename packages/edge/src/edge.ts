import {
  prefersMarkdown,
  type SignedRequest,
  verifyWebBotAuth,
  type WebBotAuthVerdict,
} from "@gatehouse/protocol";
import { answerExpired, answerFile, changedFile, type KeptFile } from "./kept-file.js";
import { KeptFiles } from "./kept-files.js";
import { KeyDirectories } from "./key-directories.js";
import type { Background, Runtime } from "./runtime.js";
import type { Settings } from "./settings.js";
import { type AskedFile, askedFile, siteFileAt } from "./site-files.js";
import { type Answered, headerOf, isPersons, isSigned, isVisit, visitOf } from "./visit.js";
import { type Placed, VisitReporter } from "./visit-reporter.js";

/** Requests whose signatures are looked at together; for more, no key is fetched. */
const CHECKING_MAX = 64;
/** What looking at one request may take, whatever addresses it names. */
const CHECK_MS_MAX = 3_000;
const TOO_SLOW: WebBotAuthVerdict = { outcome: "unverified", reason: "too_slow" };

/**
 * Gatehouse on a site's own domain, whatever it runs in. Nothing of it throws, and nothing but a
 * document of Gatehouse's own makes a visitor wait: the site goes on without it.
 */
export class Edge {
  private readonly settings: Settings;
  private readonly runtime: Runtime;
  private readonly files: KeptFiles;
  private readonly keys: KeyDirectories;
  private readonly reporter: VisitReporter;
  /** Visits whose signatures are being looked at. */
  private readonly checking = new Set<Promise<Placed>>();

  constructor(settings: Settings, runtime: Runtime) {
    this.settings = settings;
    this.runtime = runtime;
    this.files = new KeptFiles(runtime);
    this.keys = new KeyDirectories(runtime);
    this.reporter = new VisitReporter(settings, runtime);
  }

  /** Whether a request may be for one of Gatehouse's documents. */
  isAsked({ method, url }: Pick<SignedRequest, "method" | "url">): boolean {
    return (method === "GET" || method === "HEAD") && this.fileAt(url) !== undefined;
  }

  private fileAt(url: string) {
    // As it came: `/x/../llms.txt` is another path than `/llms.txt`.
    const [, path = ""] = /^https?:\/\/[^/?#]*([^?#]*)/.exec(url) ?? [];
    return this.settings.except.includes(path) ? undefined : siteFileAt(path);
  }

  /** One of Gatehouse's documents; undefined when the site should answer. */
  async answer(request: SignedRequest, background: Background): Promise<Response | undefined> {
    try {
      const file = this.isAsked(request) ? this.fileAt(request.url) : undefined;
      if (file === undefined) return undefined;
      const text = file.type.startsWith("text/");
      const markdown = text && prefersMarkdown(headerOf(request, "accept"), file.type);
      const wanted = askedFile(file, this.settings, markdown);
      const kept = await this.files.find(wanted, background);
      if (kept === undefined) return undefined;
      const served = this.unexpired(kept, wanted);
      if (served === undefined) return answerExpired(request.method);
      const match = headerOf(request, "if-none-match");
      return answerFile(served, request.method, match === "" ? null : match);
    } catch (error) {
      this.runtime.warn(`a document could not be served: ${String(error)}`);
      return undefined;
    }
  }

  /** The part of a document that may be served now; undefined if its signature has expired. */
  private unexpired(file: KeptFile, { afterExpiry }: AskedFile): KeptFile | undefined {
    if (file.expiresAt === null || this.runtime.clock.now() < file.expiresAt) return file;
    if (afterExpiry === undefined) return undefined;
    return changedFile(file, afterExpiry(new TextDecoder().decode(file.body)));
  }

  /** Looks at who came, and tells Gatehouse; for the background, after the site has answered. */
  async observe(request: SignedRequest, answered: Answered): Promise<void> {
    try {
      if (this.settings.edgeToken === undefined || !isVisit(request, answered)) return;
      if (this.settings.agentsOnly && isPersons(request)) return;
      await this.reporter.gather(await this.place(request, this.runtime.clock.now()));
    } catch (error) {
      this.runtime.warn(`a visit could not be reported: ${String(error)}`);
    }
  }

  /** Looks at who came, and puts the visit among those to be reported. */
  private async place(request: SignedRequest, observedAt: number): Promise<Placed> {
    const placeWith = (verdict: WebBotAuthVerdict) =>
      this.reporter.place(visitOf(request, observedAt, verdict));
    if (!isSigned(request)) return placeWith({ outcome: "unsigned" });
    const fetching = this.checking.size < CHECKING_MAX;
    const verdict = verifyWebBotAuth(request, {
      now: observedAt,
      findKey: (source, thumbprint) => this.keys.find(source, thumbprint, fetching),
    });
    const placed = this.inTime(verdict).then(placeWith);
    this.checking.add(placed);
    return placed.finally(() => this.checking.delete(placed));
  }

  private inTime(verdict: Promise<WebBotAuthVerdict>): Promise<WebBotAuthVerdict> {
    return new Promise((resolve, reject) => {
      const cancel = this.runtime.clock.after(CHECK_MS_MAX, () => resolve(TOO_SLOW));
      verdict.then(resolve, reject).finally(cancel);
    });
  }

  /** Reports what waits, as before the process ends; signatures being looked at are waited for. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.checking]);
    await this.reporter.flush();
  }
}
