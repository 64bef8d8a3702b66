/**
 * What a card costs the server per request, beside bare node:http servers that do only what cannot
 * be avoided. Each server is a process of its own, and its own CPU time is what counts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { interleaved, load, startServer, table } from "./serving.mjs";

const SITES = 400;
const HOT_REQUESTS = 6000;
const CONNECTIONS = 64;
const HOT_GOAL = 1.15;
const COLD_GOAL = 1.5;
const LIMITS =
  "What limits it: both carry two signatures, A2A's and the envelope's, but the baseline signs objects that are there " +
  "already. Here they are built: strings made afresh for every site, objects made and thrown away, and the steps " +
  "through cache and promises.\n";

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const ours = startServer("servers/gatehouse.mjs", folder, String(SITES));
  const { url, paths, card } = await ours.ready;
  const bare = startServer("servers/bare.mjs", folder, card);
  const { url: bareUrl } = await bare.ready;
  try {
    const hot = (base) => Array.from({ length: HOT_REQUESTS }, () => base + paths[0]);
    const [hotOurs, hotBare] = await interleaved([
      () => load(ours, hot(url), CONNECTIONS),
      () => load(bare, hot(`${bareUrl}/same`), CONNECTIONS),
    ]);
    const cold = (base) => paths.map((path) => base + path);
    const [coldOurs, coldTwo, coldOne] = await interleaved([
      async () => {
        await ours.ask("forget");
        return load(ours, cold(url), CONNECTIONS);
      },
      () => load(bare, cold(`${bareUrl}/sign-twice`), CONNECTIONS),
      () => load(bare, cold(`${bareUrl}/sign-once`), CONNECTIONS),
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
        ["bare node:http: point read, and JCS and signature twice, as a card has them", coldTwo],
        ["bare node:http: point read, JCS, one signature", coldOne],
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
