import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/infra/clock.ts";
import { backup } from "../../src/maintenance/backup.ts";
import { restore } from "../../src/maintenance/restore.ts";
import {
  createSite,
  DATABASES,
  freshEnvironment,
  startServer,
  type TestServer,
  temporaryFolder,
} from "../harness.ts";
import { secretsKeyFile } from "../restoring.ts";
import { ShopStandIn } from "./shop-stand-in.ts";
import { productEntry } from "./shop-world.ts";

describe.each(DATABASES)(
  "a shop system whose site is restored from a file that is not known to be the newest, into %s,",
  (dialect) => {
    test("is not connected, and sells again only what its next full list has", async () => {
      const system = await ShopStandIn.start(systemClock);
      const reaching = { GATEHOUSE_FETCH_ALLOW: `${system.host},${system.domain}` };
      const from = { ...(await freshEnvironment("sqlite")), ...reaching };
      const before = await startServer(from);
      const { site_key_hash } = await createSite(before, system.domain);
      const at = (server: TestServer, method: string, path: string, body?: object) =>
        server.admin(method, `/v1/admin/sites/${site_key_hash}${path}`, body);
      const connect = async (server: TestServer) => {
        const { code } = (await at(server, "POST", "/shop-connection/codes", {})).body;
        expect((await system.connectWith(server, code)).status).toBe(201);
      };
      const list = (server: TestServer, sync: object | undefined, ...ids: readonly string[]) =>
        system.send(server, "products", {
          type: "products",
          sync,
          products: ids.map((id) => productEntry(id)),
        });
      const paused = async (server: TestServer) => {
        const { items } = (await at(server, "GET", "/products")).body;
        return items.map((one: { id: string; paused: boolean }) => [one.id, one.paused]);
      };
      await connect(before);
      await list(before, { id: "one", part: 1, last: true }, "a", "b", "c");
      const code = (await at(before, "POST", "/shop-connection/codes", {})).body.code;
      const out = join(temporaryFolder(), "backup.ndjson.gz");
      await backup(from, { out });
      await before.stop();

      const env = { ...(await freshEnvironment(dialect)), ...reaching };
      // Without the list of what was revoked since, nobody knows whether the connection was ended.
      const report = await restore(env, out, { secretsKeyFile: secretsKeyFile(from) });
      expect(report.doubt).toBeDefined();
      const after = await startServer(env);
      expect((await system.send(after, "status", { type: "status" })).status).toBe(401);
      expect((await system.connectWith(after, code)).status).toBe(401);
      expect(await paused(after)).toEqual([
        ["a", true],
        ["b", true],
        ["c", true],
      ]);

      await connect(after);
      expect((await paused(after)).every(([, isPaused]: [string, boolean]) => isPaused)).toBe(true);
      await list(after, { id: "two", part: 1, last: false }, "a");
      await list(after, { id: "two", part: 2, last: true }, "b");
      expect(await paused(after)).toEqual([
        ["a", false],
        ["b", false],
        ["c", true],
      ]);
      system.stop();
    });
  },
);
