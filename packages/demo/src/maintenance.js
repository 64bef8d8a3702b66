/** What an auditor and an operator do. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, environment, expect, folder, run, say } from "./stage.js";

/** What an auditor does: take the log away, prove it, and see that no change goes unnoticed. */
export async function walkAudit(env, url, site) {
  const out = join(folder, "audit");
  const file = (await command(env, "audit", "export", site.domain, "--out", out)).trim();
  const keys = `${url}/.well-known/audit-jwks.json`;
  const verdict = await command(env, "audit", "verify", file, "--key", keys, "--replay");
  say("everything was recorded; the audit key is enough to verify the export of today:");
  for (const line of verdict.trim().split("\n")) console.log(`      ${line}`);
  const forged = join(out, "forged.json");
  writeFileSync(
    forged,
    readFileSync(file, "utf8").replace('"kind":"verified"', '"kind":"approved"'),
  );
  const args = ["audit", "verify", forged, "--key", keys];
  const refused = await run(env, ...args);
  const [finding] = refused.stdout.split("\n").filter((line) => line.startsWith("✗"));
  expect(refused.status === 1 && finding !== undefined, "a forged record to be found");
  say(`with one word changed, the verifier names the record: “${finding.replace(/\s+/g, " ")}”`);
  const checkpoint = await (await fetch(`${url}/v1/audit/${site.site_key_hash}/checkpoint`)).text();
  expect(checkpoint.split("\n").length === 6, "a signed checkpoint");
  say(
    `anybody can save a checkpoint of the log: ${checkpoint.split("\n")[1]} records, and their root`,
  );
}

export async function walkMaintenance(ask, env) {
  const { items } = (await ask("GET", "/v1/admin/keys")).body;
  const current = items.filter((key) => key.state === "current").map((key) => key.kid);
  expect(current.length === 2, "two current signing keys");
  say(`signing keys: ${current.join(", ")}; the next keys are already published`);
  const hasty = await ask("POST", "/v1/admin/keys/rotate", { purpose: "card" });
  expect(hasty.status === 409, "a hasty rotation to be refused");
  say(`a rotation is refused while verifiers may not know the next key: “${hasty.body.message}”`);
  const file = join(folder, "backup.ndjson.gz");
  say((await command(env, "backup", "--out", file)).split("\n")[0].replace(folder, "…"));
  const elsewhere = environment("elsewhere");
  const keyFile = join(env.GATEHOUSE_DATA_DIR, "secrets.key");
  await command(elsewhere, "restore", file, "--secrets-key-file", keyFile);
  const findings = await command(elsewhere, "doctor");
  expect(!/^✗/m.test(findings), "doctor to find nothing wrong");
  say("restored the backup into an empty folder; `gatehouse doctor` says what to do next:");
  for (const line of findings.trim().split("\n")) console.log(`      ${line.replace(folder, "…")}`);
}
