import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { inject, onTestFinished } from "vitest";

export type Env = Readonly<Record<string, string>>;

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The built command in a process of its own; only what a test names is in its environment. */
export function spawnGatehouse(args: readonly string[], env: Env, cwd?: string) {
  const child = spawn(process.execPath, [inject("gatehouseCommand"), ...args], {
    env: { PATH: process.env.PATH, ...env },
    cwd: cwd ?? process.cwd(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const seen = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    seen.err += text;
  });
  return { child, seen };
}

/** Runs one command to its end. */
export async function gatehouse(
  args: readonly string[],
  env: Env,
  cwd?: string,
): Promise<Finished> {
  const { child, seen } = spawnGatehouse(args, env, cwd);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...seen };
}

export interface ServingGatehouse {
  readonly url: string;
  readonly child: ChildProcess;
  readonly seen: { readonly out: string; readonly err: string };
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** `gatehouse serve`, once it says that it is ready. */
export async function serve(env: Env, ...args: readonly string[]): Promise<ServingGatehouse> {
  const { child, seen } = spawnGatehouse(["serve", ...args], { GATEHOUSE_PORT: "0", ...env });
  const exited = once(child, "close").then(([code]) => code as number | null);
  const ready = new Promise<string>((resolve) => {
    child.stdout.on("data", () => {
      const match = /listening on {2}(\S+)[\s\S]*operator token/.exec(seen.out);
      if (match !== null) resolve(match[1] as string);
    });
  });
  const failed = exited.then((code) => {
    throw new Error(`serve ended with ${code}: ${seen.err}`);
  });
  failed.catch(() => undefined);
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return exited;
  };
  try {
    onTestFinished(async () => {
      if (child.exitCode === null) await stop("SIGKILL");
    });
  } catch {
    // Begun for a group of tests, which stops it itself.
  }
  return { url: await Promise.race([ready, failed]), child, seen, stop };
}
