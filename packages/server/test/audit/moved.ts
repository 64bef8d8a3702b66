import { cpSync } from "node:fs";
import { join } from "node:path";
import { copySqlite } from "../../src/infra/db/sqlite.ts";
import { createSite, freshEnvironment, startServer, temporaryFolder } from "../harness.ts";

/**
 * An installation that published checkpoints, moved to another folder with the database it has, with
 * an older copy of it, or with none.
 */
export async function movedWith(database: "current" | "older" | "none") {
  const env = await freshEnvironment("sqlite");
  const dataDir = env.GATEHOUSE_DATA_DIR as string;
  const first = await startServer(env);
  const { site_key_hash: site } = await createSite(first, "shop.example.com");
  const copy = join(temporaryFolder(), "copy.db");
  copySqlite(join(dataDir, "gatehouse.db"), copy);
  for (const name of ["One", "Two"])
    await first.admin("PATCH", `/v1/admin/sites/${site}`, { name });
  const published = await (await fetch(`${first.url}/v1/audit/${site}/checkpoint`)).text();
  await first.stop();
  const moved = temporaryFolder();
  const bring = (name: string) =>
    cpSync(join(dataDir, name), join(moved, name), { recursive: true });
  bring("checkpoints");
  if (database !== "none") bring("secrets.key");
  if (database === "current") bring("gatehouse.db");
  if (database === "older") cpSync(copy, join(moved, "gatehouse.db"));
  return { env: { ...env, GATEHOUSE_DATA_DIR: moved }, site, published, dataDir: moved };
}
