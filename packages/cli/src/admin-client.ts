import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { isJsonObject, type JsonValue, type ReasonCode } from "@gatehouse/protocol";
import { OPERATOR_TOKEN_FILE, readConfig } from "@gatehouse/server/installation";
import { errorPage, explainedAt } from "./error-page.js";
import { CommandError, EXIT } from "./exit.js";
import { isSuccess, type Sent, sendRequest } from "./http.js";
import type { Terminal } from "./terminal.js";
import { isThisMachine } from "./this-machine.js";

const REQUEST_MS_MAX = 30_000;
/** A part of an export can be tens of megabytes, over a slow line. */
const DOWNLOAD_MS_MAX = 600_000;

/** The service answered, and said no. */
export class RefusedError extends CommandError {
  readonly reason: ReasonCode;

  constructor(message: string, reason: ReasonCode, hint: string) {
    super(message, EXIT.failed, hint);
    this.reason = reason;
  }
}

/** What to say where a thing is not there. */
export interface Missing {
  readonly says: string;
  readonly hint: string;
}

/** An answer; where there is nothing, what `missing` says. */
export async function orMissing<T>(missing: Missing | undefined, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const absent = error instanceof RefusedError && error.reason === "not_found";
    if (missing === undefined || !absent) throw error;
    throw new CommandError(missing.says, EXIT.failed, missing.hint);
  }
}

/** A token, and the setting or the file that it comes from. */
interface TokenSource {
  readonly token: string;
  readonly setting: "GATEHOUSE_ADMIN_TOKEN" | undefined;
  readonly file: string;
}

/** Calls the admin interface of a running Gatehouse, this machine's or another's. */
export class AdminClient {
  private readonly baseUrl: string;
  readonly source: TokenSource;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    baseUrl: string,
    source: TokenSource,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.baseUrl = baseUrl;
    this.source = source;
    this.headers = headers;
  }

  /** Where the service is. */
  get address(): string {
    return this.baseUrl;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { response, text } = await this.send(method, path, body);
    const answer = parseJsonOrNothing(text);
    if (isSuccess(response) && (isJsonObject(answer) || text === "")) return answer as T;
    throw this.refusal(response, answer);
  }

  /** A call about one thing; where there is none, `missing` says so, and where to look for one. */
  async callAbout<T>(missing: Missing, method: string, path: string, body?: unknown): Promise<T> {
    return orMissing(missing, this.call<T>(method, path, body));
  }

  /** An answer that is a text. */
  async text(path: string): Promise<string> {
    const { response, text } = await this.send("GET", path, undefined);
    if (isSuccess(response)) return text;
    throw this.refusal(response, parseJsonOrNothing(text));
  }

  /** An answer of any length, to be read piece by piece. */
  async download(path: string): Promise<IncomingMessage> {
    const response = await this.request("GET", path, undefined, DOWNLOAD_MS_MAX);
    if (isSuccess(response)) return response;
    throw this.refusal(response, parseJsonOrNothing(await this.textOf(response)));
  }

  /** Sends a file as it is, piece by piece. */
  async upload<T>(
    method: "POST" | "PUT",
    path: string,
    { type, body }: { readonly type: string; readonly body: AsyncIterable<Uint8Array> },
  ): Promise<T> {
    const headers = { "content-type": type };
    const sent = { method, headers, body, msMax: DOWNLOAD_MS_MAX };
    const response = await this.reach(path, sent);
    const answer = parseJsonOrNothing(await this.textOf(response));
    if (isSuccess(response) && answer !== undefined) return answer as T;
    throw this.refusal(response, answer);
  }

  private refusal(response: IncomingMessage, answer: unknown): CommandError {
    const problem = problemIn(answer);
    if (problem === undefined) {
      return this.stranger(`status ${response.statusCode}`);
    }
    const { message, error } = problem;
    if (error === "unauthorized") return this.invalidToken();
    return new RefusedError(message, error, this.hintFor(response, problem));
  }

  /** The service runs, but does not know the token. */
  private invalidToken(): CommandError {
    const { setting, file } = this.source;
    const says = `The service at ${this.baseUrl} does not accept the token in ${setting ?? file}.`;
    const hint =
      setting === undefined
        ? "Set GATEHOUSE_DATA_DIR to the data folder of this service, or GATEHOUSE_ADMIN_TOKEN to a valid token."
        : "Set GATEHOUSE_ADMIN_TOKEN to a valid token, or GATEHOUSE_BASE_URL to the service that created this token.";
    return new RefusedError(says, "unauthorized", hint);
  }

  /** What answers is no Gatehouse, or one of another age. */
  private stranger(how: string): CommandError {
    const says = `${this.baseUrl} returned ${how}. This is not a Gatehouse service, or its version is incompatible.`;
    const hint = "Check GATEHOUSE_BASE_URL: a different service may run there.";
    return new CommandError(says, EXIT.failed, hint);
  }

  private hintFor({ statusCode = 0, headers }: IncomingMessage, problem: ProblemBody): string {
    const { error, docs_url } = problem;
    const wait = headers["retry-after"];
    if (wait !== undefined) return `Try again in ${wait} s.`;
    const id = headers["x-request-id"];
    if (statusCode >= 500 && error !== "unavailable" && id !== undefined)
      return `Search the service's log for the request id ${id}.`;
    return `See ${explainedAt(docs_url) ?? `${this.baseUrl}/${errorPage(error)}`}`;
  }

  /** Every page of a list, in order. A search has what it is for in its body. */
  async *pages<T>(path: string, search?: object): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const glue = path.includes("?") ? "&" : "?";
      const next = cursor === undefined ? path : `${path}${glue}cursor=${cursor}`;
      const page = await (search === undefined
        ? this.call<{ items?: T[]; next_cursor?: string }>("GET", next)
        : this.call<{ items?: T[]; next_cursor?: string }>("POST", path, { ...search, cursor }));
      if (!Array.isArray(page.items)) throw this.stranger("an answer without a list");
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }

  private async send(method: string, path: string, body: unknown) {
    const response = await this.request(method, path, body, REQUEST_MS_MAX);
    return { response, text: await this.textOf(response) };
  }

  private async textOf(response: IncomingMessage): Promise<string> {
    try {
      return await readText(response);
    } catch {
      const hint = "Check whether the change was made before you try again.";
      throw new CommandError(`The connection to ${this.baseUrl} was lost.`, EXIT.unreachable, hint);
    }
  }

  private request(method: string, path: string, body: unknown, msMax: number) {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.reach(path, { method, headers, msMax, ...sent });
  }

  private async reach(path: string, sent: Sent): Promise<IncomingMessage> {
    const own = { authorization: `Bearer ${this.source.token}`, ...this.headers };
    try {
      const headers = { ...own, ...sent.headers };
      return await sendRequest(new URL(this.baseUrl + path), { ...sent, headers });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === undefined || code === "ABORT_ERR" ? "" : ` (${code})`;
      throw new CommandError(
        `Gatehouse cannot be reached at ${this.baseUrl}${why}.`,
        EXIT.unreachable,
        HINTS.find(([codes]) => codes.test(code ?? ""))?.[1] ??
          "Start it with `gatehouse serve`, or set GATEHOUSE_BASE_URL to where it runs.",
      );
    }
  }
}

/** What a failed connection probably means. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /EPROTO/,
    "The server there uses plain HTTP. Set GATEHOUSE_MODE=development as for the service, or correct GATEHOUSE_BASE_URL.",
  ],
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|CERT_/,
    "This machine does not trust its certificate. Set NODE_EXTRA_CA_CERTS to the file of its certificate authority.",
  ],
];

function parseJsonOrNothing(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ProblemBody {
  readonly error: ReasonCode;
  readonly message: string;
  readonly docs_url: unknown;
}

function problemIn(answer: unknown): ProblemBody | undefined {
  const { error, message, docs_url } = (answer ?? {}) as Record<string, unknown>;
  if (typeof message !== "string" || errorPage(error) === undefined) return undefined;
  return { error: error as ReasonCode, message, docs_url };
}

function readToken(file: string): string {
  if (!existsSync(file)) return "";
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new CommandError(
      `The operator token in ${file} cannot be read.`,
      EXIT.failed,
      "Run the command as the user who owns the file.",
    );
  }
}

/** Whoever only asks a service of this machine need not know in which mode it runs. */
function asClient(env: Terminal["env"]): Terminal["env"] {
  const [, host = ""] = /^http:\/\/([^/]+)/.exec(env.GATEHOUSE_BASE_URL ?? "") ?? [];
  const plain = isThisMachine(host);
  return plain ? { GATEHOUSE_MODE: "development", ...env } : env;
}

/** The service the environment points at, with the operator's local credential unless one is set. */
export function adminClient({ env }: Terminal): AdminClient {
  const config = readConfig(asClient(env));
  const file = join(config.dataDir, OPERATOR_TOKEN_FILE);
  const token = config.adminToken ?? readToken(file);
  if (token === "") {
    throw new CommandError(
      `There is no operator token in ${config.dataDir}.`,
      EXIT.failed,
      "Set GATEHOUSE_ADMIN_TOKEN, or GATEHOUSE_DATA_DIR to the folder the service uses.",
    );
  }
  const setting = config.adminToken === undefined ? undefined : "GATEHOUSE_ADMIN_TOKEN";
  return new AdminClient(config.baseUrl, { token, setting, file });
}
