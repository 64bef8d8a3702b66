/** What a durable beacon costs, beside bare node:http that parses the same body and answers 204. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flood, interleaved, startServer, table } from "./serving.mjs";

const REQUESTS = 4000;
/** As many pages at once: their beacons share a write. */
const CONNECTIONS = 128;
const GOAL = 1.7;
const HEADERS = { "content-type": "application/json" };

const beaconOf = (siteKey) =>
  JSON.stringify({
    schema_version: "1",
    site_key: siteKey,
    observed_at: new Date().toISOString(),
    identification: {
      user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      automation: { webdriver: false },
    },
    page_context: { url: "https://shop-0.example.com/prices?from=mail", title: "Prices" },
  });

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const ours = startServer("servers/gatehouse.mjs", folder, "1");
  const { url, siteKey } = await ours.ready;
  ours.url = `${url}/v1/discovery/ingest`;
  const body = beaconOf(siteKey);
  const answer = await fetch(ours.url, { method: "POST", headers: HEADERS, body });
  const kept = [...answer.headers].filter(([name]) => !/^(date|connection|keep-alive)$/.test(name));
  const bare = startServer("servers/beacon-bare.mjs", JSON.stringify(kept.flat()));
  bare.url = `${(await bare.ready).url}/v1/discovery/ingest`;
  try {
    const run = (server) => () => {
      const one = { url: server.url, body, headers: HEADERS };
      const all = Array.from({ length: CONNECTIONS }, () => one);
      return flood(server, all, REQUESTS, { status: 204, text: "" });
    };
    const [own, plain] = await interleaved([run(ours), run(bare)]);
    return table(
      "Durable beacon (SQLite, every batch synced)",
      [
        ["Gatehouse: parsed strictly, classified, written and counted", own],
        ["bare node:http: same body parsed, 204, nothing kept", plain],
      ],
      GOAL,
    );
  } finally {
    ours.stop();
    bare.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
