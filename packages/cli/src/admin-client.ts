import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "@gatehouse/server";
import { CommandError, EXIT } from "./exit.js";
import type { Terminal } from "./terminal.js";

const REQUEST_MS_MAX = 30_000;

/** Calls the admin interface of a running Gatehouse, this machine's or another's. */
export class AdminClient {
  private readonly baseUrl: string;
  private readonly token: string;

  constructor(baseUrl: string, token: string) {
    this.baseUrl = baseUrl;
    this.token = token;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.send(method, path, body);
    const text = await response.text();
    if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
    const problem = parseProblem(text);
    throw new CommandError(
      problem?.message ?? `${this.baseUrl} answered with status ${response.status}.`,
      EXIT.failed,
      hintFor(response, problem?.error),
    );
  }

  /** Every page of a list, in order. */
  async *pages<T>(path: string): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const glue = path.includes("?") ? "&" : "?";
      const next = cursor === undefined ? path : `${path}${glue}cursor=${cursor}`;
      const page = await this.call<{ items: T[]; next_cursor?: string }>("GET", next);
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }

  private async send(method: string, path: string, body: unknown): Promise<Response> {
    try {
      return await fetch(this.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "error",
        signal: AbortSignal.timeout(REQUEST_MS_MAX),
      });
    } catch (error) {
      const code = ((error as Error).cause as { code?: string } | undefined)?.code ?? "";
      throw new CommandError(
        `No Gatehouse answers at ${this.baseUrl}${code === "" ? "" : ` (${code})`}.`,
        EXIT.unreachable,
        HINTS.find(([codes]) => codes.test(code))?.[1] ??
          "Start it with `gatehouse serve`, or set GATEHOUSE_BASE_URL to where it runs.",
      );
    }
  }
}

/** What a failed connection probably means. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH/,
    "Something answers there in plain HTTP: set GATEHOUSE_MODE=development as the service has it, or GATEHOUSE_BASE_URL.",
  ],
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|CERT_/,
    "Its certificate is not trusted here: set NODE_EXTRA_CA_CERTS to the file of its authority.",
  ],
];

function hintFor(response: Response, error: string | undefined): string | undefined {
  const wait = response.headers.get("retry-after");
  if (wait !== null) return `Try again in ${wait} s.`;
  if (response.status === 401) return "Set GATEHOUSE_ADMIN_TOKEN to a valid token.";
  return error === undefined ? undefined : `See docs/errors/${slug(error)}.md.`;
}

function slug(code: string): string {
  return code.replaceAll("_", "-");
}

function parseProblem(text: string): { error: string; message: string } | undefined {
  try {
    const { error, message } = JSON.parse(text) as Record<string, unknown>;
    return typeof error === "string" && typeof message === "string"
      ? { error, message }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The service the environment points at, with the operator's local credential unless one is set. */
export function adminClient({ env }: Terminal): AdminClient {
  const config = readConfig(env);
  const file = join(config.dataDir, "admin-token");
  const token = config.adminToken ?? (existsSync(file) ? readFileSync(file, "utf8").trim() : "");
  if (token === "") {
    throw new CommandError(
      `There is no admin token in ${config.dataDir}.`,
      EXIT.failed,
      "Set GATEHOUSE_ADMIN_TOKEN, or GATEHOUSE_DATA_DIR to the folder the service uses.",
    );
  }
  return new AdminClient(config.baseUrl, token);
}
