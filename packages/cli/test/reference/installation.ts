import { join } from "node:path";
import { expect } from "vitest";
import { freshEnvironment } from "../../../server/test/harness.ts";
import type { Coverage } from "./covered.ts";

/** Bare verbs: what is done to the installation in this folder. */
export const installation: Coverage = {
  init: {
    worksIn: [
      "packages/cli/test/init.test.ts",
      "sets up a site from its answers that runs, and runs again with `serve`",
    ],
    fails: {
      args: () => ["--domain", "shop.example.com", "--limit", "much"],
      code: 2,
      says: /^much is not a limit\.$/m,
      next: /Enter an amount with its currency, such as `50\.00 EUR` or `\$50`, or `ask`, or `never`\./,
    },
  },
  serve: {
    worksIn: [
      "packages/cli/test/serve.test.ts",
      "prints where it listens, where its data is, and the operator token once",
    ],
    fails: {
      args: () => [],
      code: 3,
      says: /^GATEHOUSE_PORT must be/,
      next: /must be .*0.*65535/,
      env: { GATEHOUSE_PORT: "here" },
    },
  },
  demo: {
    worksIn: [
      "test/release/one-package.test.ts",
      "walks the whole product on the port that was named, serves its shop until it is stopped, and leaves nothing behind",
    ],
    fails: {
      args: () => ["--onec"],
      code: 2,
      says: /^Unknown option '--onec'\.$/m,
      next: /Did you mean --once\?\n`gatehouse demo --help` shows the options\./,
    },
  },
  doctor: {
    args: () => [],
    says: /^✓ Node\.js: [\s\S]*^✓ database: sqlite, schema \d+$/m,
    json: { findings: expect.arrayContaining([expect.objectContaining({ part: "database" })]) },
    fails: {
      args: () => [],
      code: 1,
      says: /^\d of \d+ checks failed\.$/m,
      next: /Fix the lines marked ✗, then run `gatehouse doctor` again\./,
      env: { GATEHOUSE_DATA_DIR: "/nowhere" },
    },
  },
  backup: {
    args: ({ fresh }) => ["--out", fresh("backup")],
    says: /^Wrote \d+ rows from \d+ tables to \S+\.backup\nSHA-256: [0-9a-f]{64}\nThe file contains the secrets key\./,
    json: {
      rows: expect.any(Number),
      tables: expect.any(Number),
      secrets_key: true,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    fails: {
      args: ({ folder }) => ["--out", folder],
      code: 1,
      says: /already exists/,
      next: /Choose another file with --out\./,
    },
  },
  restore: {
    args: async ({ run, fresh, env }) => {
      const file = fresh("backup");
      await run("backup", "--out", file);
      return [file, "--secrets-key-file", join(env.GATEHOUSE_DATA_DIR as string, "secrets.key")];
    },
    says: /^Restored \d+ rows from the backup of \S+Z\.\nThere is no checkpoints\/revocations\.json newer .*\nEvery token, .*`gatehouse person link`\.\n(?:Suspended: [1-9].*\n)*Start the service with `gatehouse serve`/,
    json: {
      rows: expect.any(Number),
      secrets_key: "restored",
      verified: true,
      doubt: "no_newer_list",
    },
    env: () => freshEnvironment("sqlite"),
    fails: {
      args: ({ file }) => [file("backup", "no backup at all")],
      code: 1,
      says: /^The backup \S+ is not a Gatehouse backup/,
      next: /Use another backup\./,
    },
  },
  verify: {
    args: ({ card }) => [card],
    says: /^✓ [\s\S]*\nThe agent card of \S+ is valid, verified with the keys of http/,
    json: { kind: "card", ok: true },
    fails: {
      args: async ({ run, shop, file, url }) => {
        const { out } = await run("site", "preview", shop, "--document", "card");
        return [file("json", out), "--keys", url];
      },
      code: 1,
      says: /^This document is not signed\.$/m,
      next: /Verify the documents that the service publishes\./,
    },
  },
};
