/**
 * What a card costs the server per request, beside bare node:http servers that do only what cannot
 * be avoided. Each server is a process of its own, and its own CPU time is what counts.
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROUNDS = 21;
/** Before that, until the code of every server is compiled. */
const WARM_UP_ROUNDS = 6;
const SITES = 400;
const HOT_REQUESTS = 6000;
const CONNECTIONS = 16;
const HOT_GOAL = 1.15;
const COLD_GOAL = 1.5;
const LIMITS =
  "What limits it: a card carries two signatures, A2A's and the envelope, each over a canonical text of its own, where " +
  "the baseline makes one of an object that is there already. The rest is what a card is built from: strings made " +
  "afresh for every site, objects made and thrown away, and the steps through cache and promises.\n";

function startServer(script, ...args) {
  const child = fork(new URL(script, import.meta.url), args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const answers = [];
  const waiting = [];
  child.on("message", (message) => {
    const resolve = waiting.shift();
    if (resolve === undefined) answers.push(message);
    else resolve(message);
  });
  const next = () =>
    answers.length > 0
      ? Promise.resolve(answers.shift())
      : new Promise((resolve) => waiting.push(resolve));
  const ask = (question) => {
    child.send(question);
    return next();
  };
  return { ready: next(), ask, stop: () => child.kill("SIGTERM") };
}

function fetchOnce(agent, url) {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.on("data", () => undefined);
      response.on("end", () =>
        response.statusCode === 200
          ? resolve()
          : reject(new Error(`${response.statusCode} ${url}`)),
      );
    }).on("error", reject);
  });
}

/** CPU microseconds of the server per request. */
async function load(server, urls) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const before = await server.ask("cpu");
  let next = 0;
  const worker = async () => {
    while (next < urls.length) await fetchOnce(agent, urls[next++]);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const after = await server.ask("cpu");
  agent.destroy();
  return (after - before) / urls.length;
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/**
 * Runs the servers in turn, so that whatever else the machine does falls on all of them. A ratio
 * is the median of the ratios within each round.
 */
async function interleaved(runs, baseline = 1) {
  const samples = runs.map(() => []);
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    for (const [i, run] of runs.entries()) {
      const sample = await run();
      if (round >= WARM_UP_ROUNDS) samples[i].push(sample);
    }
  }
  return samples.map((list) => ({
    micros: median(list),
    ratio: median(list.map((sample, round) => sample / samples[baseline][round])),
  }));
}

function table(title, rows, goal) {
  const [[, { ratio }]] = rows;
  const verdict = ratio <= goal ? "Reached" : "MISSED";
  return {
    missed: ratio > goal,
    lines: [
      `## ${title}\n`,
      "| What | CPU µs per request | Ratio to the baseline |",
      "|---|---|---|",
      ...rows.map(
        ([name, { micros, ratio: own }], i) =>
          `| ${i === 0 ? `**${name}**` : name} | ${micros.toFixed(1)} | ${own.toFixed(2)} |`,
      ),
      "",
      `Goal: within ${goal} times the baseline. ${verdict}: ${ratio.toFixed(2)}.`,
      "",
    ],
  };
}

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const ours = startServer("servers/gatehouse.mjs", folder, String(SITES));
  const { url, paths, card } = await ours.ready;
  const bare = startServer("servers/bare.mjs", folder, card);
  const { url: bareUrl } = await bare.ready;
  try {
    const hot = (base) => Array.from({ length: HOT_REQUESTS }, () => base + paths[0]);
    const [hotOurs, hotBare] = await interleaved([
      () => load(ours, hot(url)),
      () => load(bare, hot(`${bareUrl}/same`)),
    ]);
    const cold = (base) => paths.map((path) => base + path);
    const [coldOurs, coldOne, coldTwo] = await interleaved([
      async () => {
        await ours.ask("forget");
        return load(ours, cold(url));
      },
      () => load(bare, cold(`${bareUrl}/sign-once`)),
      () => load(bare, cold(`${bareUrl}/sign-twice`)),
    ]);
    const first = table(
      "Hot card",
      [
        ["Gatehouse, card in its cache", hotOurs],
        ["bare node:http, same bytes and headers", hotBare],
      ],
      HOT_GOAL,
    );
    const second = table(
      "Cold card",
      [
        ["Gatehouse, every card made and signed anew", coldOurs],
        ["bare node:http: point read, JCS, one signature", coldOne],
        ["bare node:http: point read, and JCS and signature twice, as a card has them", coldTwo],
      ],
      COLD_GOAL,
    );
    const pieces = [
      "What a cold card is made of, each piece measured by itself in the same process:\n",
      "| Piece | CPU µs |",
      "|---|---|",
      ...(await ours.ask("pieces")).map(([name, micros]) => `| ${name} | ${micros.toFixed(1)} |`),
      "",
      LIMITS,
    ];
    const lines = [...first.lines, ...second.lines, ...pieces];
    return { lines, missed: first.missed || second.missed };
  } finally {
    ours.stop();
    bare.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
