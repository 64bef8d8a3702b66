import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eraseExpiredBuyers } from "../../src/actions/buyers/erase-expired.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { SCHEMA_VERSION } from "../../src/infra/db/migrate.ts";
import { backup } from "../../src/maintenance/backup.ts";
import { restore } from "../../src/maintenance/restore.ts";
import {
  freshEnvironment,
  freshPostgres,
  NOON,
  startServer,
  TIER_DATABASES,
  temporaryFolder,
} from "../harness.ts";
import { ageBackup, secretsKeyFile } from "../restoring.ts";
import { buying, ROSE } from "../ucp/buying.ts";
import { Platform } from "../ucp/platform.ts";
import { tablesWith } from "./stored-texts.ts";

const MIRA = { ...ROSE, buyer: { first_name: "Mira", email: "mira@example.com" } };
const PERSONAL = ["mira", "Gartenstr"];

/** The folder that operators copy every hour. */
const checkpointsOf = (env: Record<string, string>) =>
  join(env.GATEHOUSE_DATA_DIR as string, "checkpoints");

describe.each(TIER_DATABASES)("an erased buyer, restored into %s,", (dialect) => {
  test.each([
    ["a backup of this schema", SCHEMA_VERSION],
    ["a backup from before buyers could be erased", 44],
  ])("is erased again from %s, by a list without the address", async (_backup, version) => {
    const clock = new ManualClock(NOON);
    const platform = await Platform.start();
    onTestFinished(() => platform.stop());
    const from = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: platform.host };
    const server = await startServer(from, { clock });
    await server.context.jobs.stop();
    const at = buying(server, platform, clock);
    const shop = await at.shop();
    const { orderId } = await at.bought(shop, MIRA);
    await shop.admin("POST", `/orders/${orderId}/cancel`, {});
    const out = join(temporaryFolder(), "backup.ndjson.gz");
    await backup(from, { out });
    if (version < SCHEMA_VERSION) await ageBackup(out, version, secretsKeyFile(from));
    clock.advance(1000);
    const { body } = await shop.admin("POST", "/buyers/erase", { email: MIRA.buyer.email });
    expect(body.erased.orders).toBe(1);
    expect(await tablesWith(server.context, shop, PERSONAL)).toEqual([]);
    await server.stop();
    const list = readFileSync(join(checkpointsOf(from), "revocations.json"), "utf8");
    expect([list.includes('"buyer"'), /mira/i.test(list)]).toEqual([true, false]);

    // The older schema needs a database that this build has not migrated yet.
    const place = dialect === "postgres" ? { GATEHOUSE_DATABASE_URL: await freshPostgres() } : {};
    const to = { ...(await freshEnvironment("sqlite")), ...place };
    cpSync(checkpointsOf(from), checkpointsOf(to), { recursive: true });
    await restore(to, out, { secretsKeyFile: secretsKeyFile(from) });
    const restored = await startServer(to, { clock });
    await restored.context.jobs.stop();
    await eraseExpiredBuyers(restored.context, () => false);
    expect(await tablesWith(restored.context, shop, PERSONAL)).toEqual([]);
    const path = `/v1/admin/sites/${shop.site_key_hash}/orders/${orderId}`;
    expect((await restored.admin("GET", path)).body.erased_at).not.toBeNull();
  });
});
