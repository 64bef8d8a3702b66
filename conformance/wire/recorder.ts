import { createHash } from "node:crypto";

/** Longer bodies are kept as a digest: pages and scripts would bury the rest. */
const BODY_CHARS_MAX = 4000;
/** Headers of the connection, or of the moment. */
const LEFT_OUT = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);

/**
 * What differs from run to run: ids, keys, digests and signatures are random, ports are whatever was
 * free. Each value gets a number where it first appears, so that the recording still shows which of
 * them are the same.
 */
const VOLATILE = new RegExp(
  [
    /(?<=127\.0\.0\.1:)\d+/,
    // Base64 of digests and signatures, known by its padding.
    /[A-Za-z0-9+/]{20,}={1,2}/,
    /(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/,
    /(?<!\w)[0-9a-f]{16,}(?![\w-])/,
    /(?<![\w-])[a-z]{2,8}_[\w-]{16,}/,
    /mandate-\d{12}/,
    // Base64url: unlike words it has capitals.
    /(?<![\w-])(?=[\w-]*[A-Z])[\w-]{22,}/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Names that a bundler gives to files: they follow the source of the console, not the service. */
const BUILT_FILE = /(?<=\/console\/assets\/[\w.]+-)[\w-]{8}(?=\.(?:js|css|svg))/g;

/** One request and its answer, as text. */
export interface Exchange {
  readonly title: string;
  readonly text: string;
}

/** Writes down every request of `fetch` to one server, with all that is random replaced. */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  private readonly origin: string;
  private readonly numbers = new Map<string, string>();

  constructor(origin: string) {
    this.origin = origin;
  }

  private readonly number = (value: string): string => {
    const known = this.numbers.get(value) ?? `<${this.numbers.size + 1}>`;
    this.numbers.set(value, known);
    return known;
  };

  private stable(text: string): string {
    return text.replace(BUILT_FILE, "<build>").replace(VOLATILE, this.number);
  }

  private body(text: string): string {
    const stable = this.stable(text);
    if (stable.length <= BODY_CHARS_MAX) return stable;
    const digest = createHash("sha256").update(stable).digest("hex");
    return `(${stable.length} characters, SHA-256 ${digest})`;
  }

  private async note(request: Request, sent: string, response: Response): Promise<void> {
    const { pathname, search } = new URL(request.url);
    const title = `${request.method} ${this.stable(pathname + search)}`;
    const packed = response.headers.has("content-encoding");
    const headers = [...response.headers].filter(
      ([name]) => !LEFT_OUT.has(name) && !(packed && name === "content-length"),
    );
    const lines = [
      title,
      ...(sent === "" ? [] : [`> ${this.body(sent)}`]),
      `< ${response.status}`,
      ...headers.map(([name, value]) => `< ${name}: ${this.stable(value)}`),
      this.body(await response.clone().text()),
    ];
    this.exchanges.push({ title, text: lines.join("\n") });
  }

  /** Runs a scenario with `fetch` watched. Its requests must come one after the other. */
  async watch(scenario: () => Promise<void>): Promise<void> {
    const real = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.startsWith(this.origin)) return real(input, init);
      const sent = request.body === null ? "" : await request.clone().text();
      const response = await real(input, init);
      await this.note(request, sent, response);
      return response;
    };
    try {
      await scenario();
    } finally {
      globalThis.fetch = real;
    }
  }
}
