/**
 * What happens to verifiers when signing keys change or fail. These tests change the keys of a
 * service, so each runs one of its own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../../test/gatehouse-process.ts";
import {
  ask,
  askAsOperator,
  KEY_SET,
  newSite,
  pathsOf,
  type Service,
  type Site,
  verifyDomain,
} from "./asking.ts";
import { cardVerifies, type Key, keySet, manifestVerifies } from "./verifying.ts";

const someoneElses = process.env.GATEHOUSE_TARGET !== undefined;
const adminToken = "conformance-operator-token-0123456789";
const PREVIOUS_ID = "previous-id";
const NEVER = "9999-12-31";
const LONG_AGO = "2020-01-31";
/** How long a service may take to see that its keys have changed below it. */
const NOTICED = { timeout: 10_000, interval: 50 };

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(folder: string, aliases: readonly string[] = []) {
  const { url, stop } = await serve({
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_ADMIN_TOKEN: adminToken,
    GATEHOUSE_DATA_DIR: folder,
    ...(aliases.length === 0 ? {} : { GATEHOUSE_KEY_ALIASES: aliases.join(",") }),
  });
  return { url, adminToken, stop };
}

async function verifiedSiteAt(service: Service): Promise<Site> {
  const { site } = await newSite({}, service);
  await verifyDomain(site, service);
  return site;
}

async function documentsAt(service: Service, site: Site) {
  const { card, catalog } = pathsOf(site);
  return {
    card: (await ask("GET", card, {}, service)).body,
    manifest: (await ask("GET", catalog, {}, service)).body.trustManifest,
  };
}

const rotate = (service: Service, how: object) =>
  askAsOperator("POST", "/v1/admin/keys/rotate", { purpose: "card", ...how }, service);

const named = (kid: string, keys: readonly Key[]) => keys.find((key) => key.kid === kid);

/** The key set of a service in a transition, and what the service signed before it. */
async function inTransition() {
  const folder = dataFolder();
  const before = await start(folder);
  const documents = await documentsAt(before, await verifiedSiteAt(before));
  const kid: string = documents.card.signing.signing_key_id;
  await before.stop();
  const during = await start(folder, [`${PREVIOUS_ID}=${kid}@${NEVER}`]);
  return { kid, documents, keys: await keySet(during) };
}

test.skipIf(someoneElses)(
  "[2.5-i 9-l] during a transition the previous key id is listed beside the current one, with its key",
  async () => {
    const { kid, keys } = await inTransition();
    const [current, previous] = [named(kid, keys), named(PREVIOUS_ID, keys)];
    expect(current).toBeDefined();
    expect(previous).toEqual({ ...current, kid: PREVIOUS_ID });
  },
);

test.skipIf(someoneElses)(
  "[2.5-j 9-m] a previous key id is listed until its date, and not after it",
  async () => {
    const folder = dataFolder();
    const before = await start(folder);
    const [current] = await keySet(before);
    await before.stop();
    const aliases = [`still=${current?.kid}@${NEVER}`, `no-more=${current?.kid}@${LONG_AGO}`];
    const kids = (await keySet(await start(folder, aliases))).map(({ kid }) => kid);
    expect(kids).toContain("still");
    expect(kids).not.toContain("no-more");
  },
);

test.skipIf(someoneElses)(
  "[2.5-k] a document signed before the key id changed verifies under either id",
  async () => {
    const { kid, documents, keys } = await inTransition();
    const { card, manifest } = documents;
    expect([cardVerifies(card, keys), manifestVerifies(manifest, keys)]).toEqual([true, true]);
    // A verifier that looked the key up by its previous id holds nothing else.
    const held = [{ ...(named(PREVIOUS_ID, keys) as Key), kid }];
    expect([cardVerifies(card, held), manifestVerifies(manifest, held)]).toEqual([true, true]);
  },
);

test.skipIf(someoneElses)(
  "[2.5-l] a verifier that does not know a document's key finds it by refreshing the key set",
  async () => {
    const service = await start(dataFolder());
    const site = await verifiedSiteAt(service);
    const held = await ask("GET", KEY_SET, {}, service);
    const before = await documentsAt(service, site);
    expect(cardVerifies(before.card, held.body.keys)).toBe(true);
    expect((await rotate(service, { stolen: true })).status).toBe(200);
    const { card, manifest } = await documentsAt(service, site);
    expect(named(card.signing.signing_key_id, held.body.keys)).toBeUndefined();
    const headers = { "if-none-match": held.headers.get("etag") ?? "" };
    const refreshed = await ask("GET", KEY_SET, { headers }, service);
    expect(refreshed.status).toBe(200);
    const { keys } = refreshed.body;
    expect([cardVerifies(card, keys), manifestVerifies(manifest, keys)]).toEqual([true, true]);
  },
);

/** Exchanges the sealed private half of the key that signs next; answers what stood there. */
function exchangeSealed(folder: string, kid: string, sealed: string): string {
  const db = new DatabaseSync(join(folder, "gatehouse.db"), { timeout: 5000 });
  try {
    const row = db.prepare("SELECT sealed FROM signing_keys WHERE kid = ?").get(kid);
    db.prepare("UPDATE signing_keys SET sealed = ? WHERE kid = ?").run(sealed, kid);
    return (row as { sealed: string }).sealed;
  } finally {
    db.close();
  }
}

test.skipIf(someoneElses)(
  "[4.1.11-c 7-f] a card that cannot be signed answers 503, and 200 as soon as it can be signed",
  async () => {
    const folder = dataFolder();
    const service = await start(folder);
    const { card, catalog } = pathsOf(await verifiedSiteAt(service));
    const status = async () => (await ask("GET", card, {}, service)).status;
    expect(await status()).toBe(200);
    const { items } = (await askAsOperator("GET", "/v1/admin/keys", undefined, service)).body;
    const { kid } = items.find(
      ({ purpose, state }: Record<string, string>) => purpose === "card" && state === "next",
    );
    // A key in use is held in memory; one that is damaged before it takes over is never opened.
    const sealed = exchangeSealed(folder, kid, "damaged");
    expect((await rotate(service, { force: true })).status).toBe(200);
    await expect.poll(status, NOTICED).toBe(503);
    for (const path of [card, catalog]) {
      const { status, headers, body } = await ask("GET", path, {}, service);
      expect([path, status, body.error]).toEqual([path, 503, "unavailable"]);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    }
    exchangeSealed(folder, kid, sealed);
    await expect.poll(status, NOTICED).toBe(200);
    const signed = (await ask("GET", card, {}, service)).body;
    expect(signed.signing.signing_key_id).toBe(kid);
    expect(cardVerifies(signed, await keySet(service))).toBe(true);
  },
);
