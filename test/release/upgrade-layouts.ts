import { spawn } from "node:child_process";
import { join } from "node:path";
import { VERSION } from "../../packages/server/src/version.ts";
import { root } from "../source.ts";
import { shellBlocks } from "./old-release.ts";

const READY_MS_MAX = 30_000;
const POLL_MS = 50;
const UPGRADE = join(root, "docs/operations/upgrade.md");
export const RELEASE_FILE = `gatehouse-${VERSION}.tgz`;

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** An installation of 0.1.0, by the way it is installed. Its steps are the blocks of the documents. */
export interface Layout {
  /** Where the service answers. */
  readonly url: string;
  /** A folder for files that commands read and write, as they and as the test name it. */
  readonly files: { readonly inside: string; readonly outside: string };
  gatehouse(...words: string[]): Promise<Finished>;
  /** Puts 0.1.0 in place and starts it. */
  begin(): Promise<void>;
  /** Installs and starts this version. */
  upgrade(): Promise<void>;
  /** Goes back to 0.1.0 with the copy of an SQLite file. */
  goBackByCopy(): Promise<void>;
  /** Goes back with the backup, into an empty PostgreSQL database. */
  goBackByBackup(database: string): Promise<void>;
  restart(): Promise<void>;
  end(): Promise<void>;
}

export interface Start {
  /** The built checkout of 0.1.0. */
  readonly old: string;
  /** The folder with the release file of this version. */
  readonly released: string;
  readonly port: number;
  readonly database?: string | undefined;
}

/** The settings of an installation, as a file. */
export function settingsOf(
  { port, database }: Start,
  more: Readonly<Record<string, string>> = {},
): string {
  const settings = {
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "warn",
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_BASE_URL: `http://127.0.0.1:${port}`,
    ...(database === undefined ? {} : { GATEHOUSE_DATABASE_URL: database }),
    ...more,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/** Runs a program to its end. */
export async function finish(
  words: readonly string[],
  cwd: string,
  env = process.env,
): Promise<Finished> {
  const [program = "", ...args] = words;
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const seen = { out: "", err: "" };
  child.stdout.on("data", (text) => {
    seen.out += text;
  });
  child.stderr.on("data", (text) => {
    seen.err += text;
  });
  // Not "close": a service that a command starts keeps what it inherits open.
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { code, ...seen };
}

export async function untilAnswering(url: string, log: () => string): Promise<void> {
  const until = Date.now() + READY_MS_MAX;
  const answers = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (Date.now() > until) throw new Error(`the service is not ready: ${log()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The blocks of the document below one of its headings. */
export const upgradeBlocks = (heading: string) => shellBlocks(UPGRADE, heading);
