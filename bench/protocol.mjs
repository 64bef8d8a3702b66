/** What one signed message costs: canonical text, strict parse, signature and its check. */
import { execFileSync } from "node:child_process";
import { createPublicKey, sign, verify } from "node:crypto";
import { existsSync } from "node:fs";
import canonicalize4 from "canonicalize";
import {
  canonicalize,
  ed25519Bytes,
  generateEd25519,
  parseJson,
  utf8,
  verifyEd25519,
} from "../packages/protocol/dist/index.js";
import { nodeSigner } from "../packages/server/dist/infra/keys/signatures.js";
import { mandate } from "./mandate.mjs";

const ROUNDS = 7;
const CACHE = new URL("../.cache/bench/", import.meta.url).pathname;

/** The newest `canonicalize` needs a later Node by its manifest, so it is not a dependency. */
async function newestCanonicalize() {
  const home = `${CACHE}node_modules/canonicalize`;
  try {
    if (!existsSync(home)) {
      execFileSync("npm", [
        "install",
        "--prefix",
        CACHE,
        "--no-save",
        "--silent",
        "canonicalize@5.1.0",
      ]);
    }
    return (await import(`${home}/lib/canonicalize.js`)).default;
  } catch {
    return undefined;
  }
}

/** Median CPU microseconds of one call. */
async function cpuMicros(times, call) {
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = process.cpuUsage();
    for (let i = 0; i < times; i++) {
      const result = call();
      if (result instanceof Promise) await result;
    }
    const { user, system } = process.cpuUsage(began);
    samples.push((user + system) / times);
  }
  return samples.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
}

const text = JSON.stringify(mandate);
const { jwk, privateJwk } = await generateEd25519("bench");
const message = utf8(canonicalize(mandate));
const signer = nodeSigner("bench", privateJwk);
const signature = signer.sign(message);
const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
const raw = ed25519Bytes(jwk);
const canonicalize5 = await newestCanonicalize();

const GROUPS = [
  {
    title: `JCS of a mandate (${canonicalize(mandate).length} bytes)`,
    times: 20_000,
    ours: ["canonicalize of @gatehouse/protocol", () => canonicalize(mandate)],
    baselines: [
      ["npm canonicalize 4.0.0", () => canonicalize4(mandate)],
      ...(canonicalize5 ? [["npm canonicalize 5.1.0", () => canonicalize5(mandate)]] : []),
    ],
    goal: "at least as fast as npm canonicalize",
  },
  {
    title: "Strict parse of the same mandate",
    times: 20_000,
    ours: ["parseJson of @gatehouse/protocol", () => parseJson(text)],
    baselines: [["JSON.parse, which checks none of it", () => JSON.parse(text)]],
  },
  {
    title: "Ed25519 verification of the same mandate",
    times: 500,
    ours: [
      "node:crypto with a kept key, as the server does",
      () => verify(null, message, key, signature),
    ],
    baselines: [
      ["Web Crypto, as browsers and Workers do", () => verifyEd25519(raw, message, signature)],
    ],
  },
  {
    title: "Ed25519 signature of the same mandate",
    times: 500,
    ours: ["KeyRing's signer", () => signer.sign(message)],
    baselines: [
      [
        "bare node:crypto sign",
        () => sign(null, message, { key: { ...privateJwk }, format: "jwk" }),
      ],
    ],
  },
];

export async function measure() {
  const lines = [];
  let missed = false;
  for (const { title, times, ours, baselines, goal } of GROUPS) {
    const own = await cpuMicros(times, ours[1]);
    lines.push(`## ${title}\n`, "| What | CPU µs | Ratio to ours |", "|---|---|---|");
    lines.push(`| **${ours[0]}** | ${own.toFixed(2)} | 1.00 |`);
    let worst = Number.POSITIVE_INFINITY;
    for (const [name, call] of baselines) {
      const theirs = await cpuMicros(times, call);
      worst = Math.min(worst, theirs / own);
      lines.push(`| ${name} | ${theirs.toFixed(2)} | ${(theirs / own).toFixed(2)} |`);
    }
    if (goal !== undefined) {
      missed ||= worst < 1;
      lines.push("", `Goal: ${goal}. ${worst >= 1 ? "Reached" : "MISSED"}.`);
    }
    lines.push("");
  }
  return { lines, missed };
}
