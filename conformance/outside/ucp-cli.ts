import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Market } from "./market.ts";

interface Ran {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the client prints
  readonly said: any;
  readonly err: string;
}

/** Somebody who runs the command for a platform whose profile is in one version of UCP. */
export async function startClient(
  { names, platform, folder }: Market,
  { node, program }: { readonly node: string; readonly program: string },
  version: string,
) {
  const home = mkdtempSync(join(folder, "client-"));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    UCP_HOME: join(home, ".ucp"),
    NODE_EXTRA_CA_CERTS: names.certFile,
    https_proxy: names.proxyUrl,
    // What a tool's schema does not list is an error, so that nothing is only accepted by chance.
    UCP_STRICT_SCHEMA: "1",
    // It is started some forty times, and compiled once.
    NODE_COMPILE_CACHE: join(folder, "compiled"),
  };
  const run = (...args: readonly string[]) =>
    new Promise<Ran>((resolve) => {
      const child = execFile(
        node,
        [program, ...args, "--format", "json"],
        { env, cwd: home },
        (_error, out, err) => {
          const said = /^\s*[{[]/.test(out) ? JSON.parse(out) : out;
          resolve({ code: child.exitCode ?? -1, said, err });
        },
      );
    });
  const path = `/${version}.json`;
  const url = `https://${platform.host}${path}`;
  const made = ["--name", "shopper", "--version", version, "--profile-url", url];
  const { code, err } = await run("profile", "init", ...made);
  expect([code, err]).toEqual([0, ""]);
  // What the client says of itself is what the shop reads.
  const profile = join(env.UCP_HOME, "profiles", "shopper", "profile.json");
  platform.profiles.set(path, readFileSync(profile, "utf8"));
  return { home, run: (...args: readonly string[]) => run(...args, "--profile", "shopper") };
}

export type Client = Awaited<ReturnType<typeof startClient>>;
