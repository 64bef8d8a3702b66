import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { SCHEMA_VERSION } from "../../packages/server/src/infra/db/migrate.ts";
import { VERSION } from "../../packages/server/src/version.ts";
import { cleanUp, freshPostgres } from "../../packages/server/test/harness.ts";
import { freePort } from "../free-port.ts";
import { FolderLayout } from "./folder-layout.ts";
import { buildOldRelease, historyProblem, packRelease } from "./old-release.ts";
import { rootFolderProblem } from "./root-folder.ts";
import { ServiceLayout } from "./service-layout.ts";
import { Shop } from "./upgrade-shop.ts";

const BUILD_MS_MAX = 600_000;
/** `history`, or a folder where 0.1.0 is built already. It takes minutes: `npm run test:long -- upgrade` asks for it. */
const { UPGRADE_FROM } = process.env;
const problem = UPGRADE_FROM === undefined ? "not asked for" : historyProblem();
const rootProblem = existsSync("/usr/bin/node")
  ? rootFolderProblem()
  : "the unit needs /usr/bin/node";
const LAYOUTS = [
  { name: "in a folder", Layout: FolderLayout, why: undefined },
  { name: "as a service", Layout: ServiceLayout, why: rootProblem },
];

if (UPGRADE_FROM !== undefined && problem !== undefined) {
  console.warn(`The upgrade from 0.1.0 is not tried: ${problem}.`);
}
if (UPGRADE_FROM !== undefined && rootProblem !== undefined) {
  console.warn(`The upgrade of a service is not tried: ${rootProblem}.`);
}

describe.skipIf(problem !== undefined)("an installation of 0.1.0", () => {
  const released = mkdtempSync(join(tmpdir(), "gatehouse-released-"));
  let old = "";
  beforeAll(async () => {
    old = buildOldRelease(UPGRADE_FROM ?? "");
    await packRelease(released);
  }, BUILD_MS_MAX);
  afterAll(async () => {
    rmSync(released, { recursive: true });
    if (UPGRADE_FROM === "history") rmSync(old, { recursive: true, force: true });
    await cleanUp();
  });

  for (const { name, Layout, why } of LAYOUTS) {
    for (const dialect of ["sqlite", "postgres"] as const) {
      test.skipIf(why !== undefined)(
        `${name} is upgraded and goes back as the document says, on ${dialect}`,
        { timeout: BUILD_MS_MAX },
        async () => {
          const database = dialect === "postgres" ? await freshPostgres() : undefined;
          const installed = new Layout({ old, released, port: await freePort(), database });
          onTestFinished(() => installed.end());
          await installed.begin();
          const versions = [await versionOf(installed.url)];
          const shop = new Shop(installed);
          await shop.open();
          const answers = {
            asked: await shop.ask("asked"),
            bought: await shop.order("bought", 1),
            waits: await shop.order("waits", 3),
          };
          expect(Object.values(answers).map(({ outcome }) => outcome)).toEqual([
            "approved",
            "approved",
            "escalated",
          ]);
          await shop.expectSound();
          const before = await shop.state();

          await installed.upgrade();
          versions.push(await versionOf(installed.url));
          expect(await shop.state()).toEqual(before);
          await expectStored(shop, answers);
          await shop.expectSound();
          expect(await shop.order("later", 1)).toMatchObject({ outcome: "approved" });
          expect((await shop.state()).orders).toHaveLength(before.orders.length + 1);

          if (dialect === "sqlite") await installed.goBackByCopy();
          else await installed.goBackByBackup(await freshPostgres());
          versions.push(await versionOf(installed.url));
          if (dialect === "sqlite") {
            await shop.renew();
            await installed.restart();
          }
          expect(await shop.state()).toEqual(before);
          await expectStored(shop, answers);
          expect(await shop.order("again", 1)).toMatchObject({ outcome: "approved" });
          await shop.expectSoundButShorter();
          expect(versions).toMatchObject([
            { version: "0.1.0", schema_version: 20 },
            { version: VERSION, schema_version: SCHEMA_VERSION },
            { version: "0.1.0", schema_version: 20 },
          ]);
        },
      );
    }
  }
});

const versionOf = async (url: string) => (await fetch(`${url}/version`)).json();

/** A mandate that was decided gets the same answer again, and nothing is bought twice. */
async function expectStored(shop: Shop, answers: Readonly<Record<string, object>>): Promise<void> {
  for (const [name, answer] of Object.entries(answers)) {
    expect([name, await shop.repeat(name)]).toMatchObject([name, answer]);
  }
}
