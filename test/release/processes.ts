import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder } from "../../packages/server/test/harness.ts";
import { interpolate, readCompose } from "../deploy-files.ts";

export type Env = Record<string, string>;

/** Starts a program of the files in deploy/. It is killed with the test that began it. */
export function begin(
  [program = "", ...args]: readonly string[],
  env: Env,
  cwd = temporaryFolder(),
) {
  // Node of an image is the one of its PATH; here it is the one that runs the tests.
  const path = `${env.PATH ?? ""}:${dirname(process.execPath)}:${process.env.PATH}`;
  const child = spawn(program, args, {
    cwd,
    env: { ...env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const seen = { out: "", err: "" };
  child.stdout.on("data", (text) => {
    seen.out += text;
  });
  child.stderr.on("data", (text) => {
    seen.err += text;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, seen, ended };
}

export type Running = ReturnType<typeof begin>;

/** Waits until the service says that it is ready. */
export async function untilReady({ child, seen, ended }: Running): Promise<void> {
  const gone = ended.then((code) => {
    throw new Error(`it ended with ${code}: ${seen.err}`);
  });
  gone.catch(() => undefined);
  while (!seen.out.includes("is ready")) await Promise.race([once(child.stdout, "data"), gone]);
}

/** Runs a program to its end, which must be a good one, and returns what it printed. */
export async function output(words: readonly string[], env: Env): Promise<string> {
  const { seen, ended } = begin(words, env);
  expect([await ended, seen.err]).toEqual([0, expect.any(String)]);
  return seen.out;
}

/** Puts our places in for those that the files name. */
export function mapped(text: string, places: Readonly<Record<string, string>>): string {
  const [from, to] = Object.entries(places).find(([one]) => text.startsWith(one)) ?? ["", ""];
  return to + text.slice(from.length);
}

/** What a compose file sets, with what an operator gives it and places of this machine. */
export function composeEnv(file: string, service: string, given: Env, places: Env): Env {
  const { environment = {} } = readCompose(file).services[service] ?? {};
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      mapped(interpolate(value, given), places),
    ]),
  );
}
