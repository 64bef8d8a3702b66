import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deleteUnusedPictures } from "../../src/actions/pictures/uploaded-pictures.ts";
import {
  PICTURE_BYTES_MAX,
  SITE_PICTURE_BYTES_MAX,
} from "../../src/domain/products/pictures/picture.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/infra/time.ts";
import { backup } from "../../src/maintenance/backup.ts";
import { restore } from "../../src/maintenance/restore.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  startServer,
  type TestServer,
  TIER_DATABASES,
  temporaryFolder,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { byDigest } from "../restoring.ts";
import { openMarket, type selling } from "../selling/selling.ts";
import { JPEG, PNG, pngOf, WEBP } from "./sample-pictures.ts";

/** Uploads a file as the picture of a product, or of the shop if there is no product. */
async function upload(
  server: TestServer,
  { site_key_hash }: Pick<Shop, "site_key_hash">,
  file: Uint8Array | string,
  {
    id = "rose",
    type = "image/jpeg",
    token = OPERATOR_TOKEN,
  }: { id?: string | null; type?: string; token?: string } = {},
) {
  const place = id === null ? "picture" : `products/picture?${new URLSearchParams({ id })}`;
  const response = await fetch(`${server.url}/v1/admin/sites/${site_key_hash}/${place}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": type },
    body: file as BodyInit,
  });
  return { status: response.status, body: await response.json() };
}

const read = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

describe.each(TIER_DATABASES)("a product's picture on %s", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  beforeAll(async () => {
    ({ server, at } = await openMarket(dialect, clock));
    return cleanUp;
  });
  beforeEach(async () => {
    shop = await at.shop();
  });
  const put = (file: Uint8Array | string, options = {}) => upload(server, shop, file, options);
  const digests = async () =>
    (
      await server.context.db.all<{ digest: string }>(
        "SELECT digest FROM product_pictures WHERE site_key_hash = ? ORDER BY digest",
        shop.site_key_hash,
      )
    ).map(({ digest }) => digest);
  async function anHourLater() {
    clock.advance(HOUR_MS + 1);
    await deleteUnusedPictures(server.context, () => false);
  }

  test("is uploaded, served to everybody, and named by the product and the log", async () => {
    const saved = await put(JPEG);
    expect(saved.status).toBe(200);
    const { image_url } = saved.body;
    const [digest] = await digests();
    expect(image_url).toBe(
      `${server.context.config.baseUrl}/v1/pictures/${shop.site_key_hash}/${digest}`,
    );
    const { response, bytes } = await read(image_url);
    expect(Buffer.compare(bytes, JPEG)).toBe(0);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "content-length": String(JPEG.length),
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "access-control-allow-origin": "*",
      etag: `"${digest}"`,
    });
    const again = await read(image_url, { "if-none-match": `"${digest}"` });
    expect([again.response.status, again.bytes.length]).toEqual([304, 0]);
    expect((await fetch(image_url, { method: "HEAD" })).headers.get("content-length")).toBe(
      String(JPEG.length),
    );
    const { items } = (await shop.admin("GET", "/audit/records?type=site.changed")).body;
    const changes = items.map(({ record }: { record: { change: object } }) => record.change);
    expect(changes).toContainEqual({ kind: "product_changed", product_id: "rose", paused: false });
  });

  test("keeps its address when other fields of the product change", async () => {
    const { image_url } = (await put(PNG, { type: "image/png" })).body;
    const changed = await shop.admin("PATCH", "/products?id=rose", { title: "Red", image_url });
    expect([changed.status, changed.body.image_url]).toEqual([200, image_url]);
    const others = `${image_url.slice(0, -1)}!`;
    const wrong = await shop.admin("PATCH", "/products?id=rose", { image_url: others });
    expect(wrong.status).toBe(400);
  });

  test("is what its bytes are, whatever its sender says", async () => {
    const { image_url } = (await put(WEBP, { type: "image/png" })).body;
    expect((await read(image_url)).response.headers.get("content-type")).toBe("image/webp");
  });

  test("is deleted within an hour after the last product has stopped to use it", async () => {
    await put(JPEG);
    await put(JPEG, { id: "vase" });
    const { image_url } = (await put(JPEG, { id: "palm" })).body;
    expect((await digests()).length).toBe(1);
    await put(PNG);
    await shop.admin("PATCH", "/products?id=vase", { image_url: null });
    await anHourLater();
    expect((await digests()).length).toBe(2);
    await shop.admin("DELETE", "/products?id=palm");
    await anHourLater();
    expect((await digests()).length).toBe(1);
    expect((await read(image_url)).response.status).toBe(404);
    // The same file can be uploaded again.
    expect((await put(JPEG)).status).toBe(200);
    expect((await read(image_url)).response.status).toBe(200);
  });

  test("is kept while a product has it among its other pictures", async () => {
    const { image_url } = (await put(JPEG)).body;
    await put(PNG);
    const { db } = server.context;
    // The service of this test has no https address, which lists demand of pictures.
    const write = (urls: readonly string[]) =>
      db.transaction((tx) =>
        tx.run(
          "UPDATE products SET additional_image_urls = ? WHERE site_key_hash = ? AND product_id = ?",
          JSON.stringify(urls),
          shop.site_key_hash,
          "rose",
        ),
      );
    await write(["https://a.example.com/1", image_url]);
    await anHourLater();
    expect((await read(image_url)).response.status).toBe(200);
    await write(["https://a.example.com/1"]);
    await anHourLater();
    expect((await read(image_url)).response.status).toBe(404);
  });

  test("is kept while an import that replaced the product can be undone", async () => {
    const { image_url } = (await put(JPEG)).body;
    const line = { id: "rose", title: "A rose", price: "100.00", currency: "EUR", image_url: "" };
    await at.importLines(shop, [line]);
    await anHourLater();
    const { import: last } = (await shop.admin("GET", "/products/import")).body;
    await shop.admin("POST", "/products/import/undo", { import_id: last.import_id });
    const { items } = (await shop.admin("GET", "/products?id=rose")).body;
    expect(items[0].image_url).toBe(image_url);
    expect((await read(image_url)).response.status).toBe(200);
  });

  test("is refused when the site's pictures take too much, unless unused ones make room", async () => {
    const full = "UPDATE product_pictures SET size = ? WHERE site_key_hash = ?";
    await put(JPEG);
    await server.context.db.run(full, SITE_PICTURE_BYTES_MAX, shop.site_key_hash);
    const refused = await put(PNG);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      "The pictures of a site can take up to 512 MB. Remove products or use smaller pictures.",
    ]);
    await shop.admin("PATCH", "/products?id=rose", { image_url: null });
    clock.advance(MINUTE_MS + 1);
    expect((await put(PNG)).status).toBe(200);
  });

  test("is deleted with its site, and not before that with another", async () => {
    const other = await at.shop();
    const { image_url } = (await put(JPEG)).body;
    const copy = (await upload(server, other, JPEG)).body.image_url;
    expect((await server.admin("DELETE", `/v1/admin/sites/${shop.site_key_hash}`)).status).toBe(
      204,
    );
    expect(await digests()).toEqual([]);
    expect((await read(image_url)).response.status).toBe(404);
    expect((await read(copy)).response.status).toBe(200);
  });

  test("of 5 MB is read in parts, and one byte more is refused", async () => {
    const noise = Buffer.alloc(PICTURE_BYTES_MAX - 2000, 7);
    const large = pngOf(2000, 2000, noise);
    expect(large.length).toBeLessThan(PICTURE_BYTES_MAX);
    const { image_url } = (await put(large)).body;
    expect(Buffer.compare((await read(image_url)).bytes, large)).toBe(0);
    const more = Buffer.alloc(PICTURE_BYTES_MAX + 1);
    large.copy(more);
    const refused = await put(more).catch(() => ({ status: 413 }));
    expect(refused.status).toBe(413);
  });
});

describe.each(TIER_DATABASES)("the picture of a shop on %s", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  beforeAll(async () => {
    ({ server, at } = await openMarket(dialect, clock));
    return cleanUp;
  });
  beforeEach(async () => {
    shop = await at.shop();
  });
  const put = (file: Uint8Array, options = {}) =>
    upload(server, shop, file, { id: null, ...options });
  const page = async () => (await fetch(`${server.url}/v1/agent/${shop.site_key_hash}`)).text();
  async function anHourLater() {
    clock.advance(HOUR_MS + 1);
    await deleteUnusedPictures(server.context, () => false);
  }

  test("is on its public page with its name, in its site, and in the log", async () => {
    const name = 'Fern & "Petal"';
    await shop.admin("PATCH", "", { name });
    expect(await page()).not.toContain("<img class");
    const saved = await put(JPEG);
    expect(saved.status).toBe(200);
    const { picture_url } = saved.body;
    expect((await shop.admin("GET", "")).body.picture_url).toBe(picture_url);
    expect(await page()).toContain(
      `<img class="shop" src="${picture_url}" alt="Fern &amp; &quot;Petal&quot;" referrerpolicy="no-referrer">`,
    );
    expect(await page()).toContain(`"image":"${picture_url}"`);
    const { response, bytes } = await read(picture_url);
    expect(response.headers.get("content-type")).toBe("image/jpeg");
    expect(Buffer.compare(bytes, JPEG)).toBe(0);
    const { items } = (await shop.admin("GET", "/audit/records?type=site.changed")).body;
    expect(items[0].record.change).toMatchObject({
      kind: "changed",
      fields: ["picture"],
      picture: picture_url.slice(-43),
    });
  });

  test("is kept while it is shown, also if no product uses it, and other settings leave it", async () => {
    const { picture_url } = (await put(PNG, { type: "image/png" })).body;
    await anHourLater();
    const changed = await shop.admin("PATCH", "", { description: "Flowers" });
    expect(changed.body.picture_url).toBe(picture_url);
    expect((await read(picture_url)).response.status).toBe(200);
    const setSize = (size: number) =>
      server.context.db.run(
        "UPDATE product_pictures SET size = ? WHERE site_key_hash = ?",
        size,
        shop.site_key_hash,
      );
    await setSize(SITE_PICTURE_BYTES_MAX);
    expect((await put(JPEG)).status).toBe(409);
    await setSize(PNG.length);
    expect((await read(picture_url)).response.status).toBe(200);
  });

  test("is replaced and removed, and then deleted within an hour", async () => {
    const first = (await put(PNG)).body.picture_url;
    const second = (await put(WEBP)).body.picture_url;
    expect(await page()).toContain(second);
    await anHourLater();
    expect((await read(first)).response.status).toBe(404);
    const removed = await shop.admin("DELETE", "/picture");
    expect([removed.status, removed.body.picture_url]).toEqual([200, null]);
    expect(await page()).not.toContain("/v1/pictures/");
    await anHourLater();
    expect((await read(second)).response.status).toBe(404);
  });

  test("is read as strictly as that of a product", async () => {
    const answers = [
      await put(Buffer.from("<svg onload=alert(1)>"), { type: "image/png" }),
      await put(JPEG, { type: "image/svg+xml" }),
      await put(pngOf(60_000, 60_000)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 415, 400]);
    expect((await shop.admin("GET", "")).body.picture_url).toBeNull();
  });

  test("is deleted with its site", async () => {
    const { picture_url } = (await put(JPEG)).body;
    await server.admin("DELETE", `/v1/admin/sites/${shop.site_key_hash}`);
    expect((await read(picture_url)).response.status).toBe(404);
    const left = await server.context.db.all<{ picture: string | null }>(
      "SELECT picture FROM sites WHERE site_key_hash = ?",
      shop.site_key_hash,
    );
    expect(left).toEqual([{ picture: null }]);
  });
});

describe("an upload", () => {
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  beforeAll(async () => {
    ({ server, at } = await openMarket("sqlite", new ManualClock(NOON)));
    shop = await at.shop();
    return cleanUp;
  });
  const tokenOf = async (role: string, site: Shop) =>
    (
      await server.admin("POST", `/v1/admin/sites/${site.site_key_hash}/tokens`, {
        name: role,
        role,
      })
    ).body.token;

  test("is for owners of the site", async () => {
    const elsewhere = await at.shop();
    const statuses = [];
    for (const [role, site] of [
      ["auditor", shop],
      ["reviewer", shop],
      ["owner", elsewhere],
    ] as const) {
      const token = await tokenOf(role, site);
      statuses.push((await upload(server, shop, JPEG, { token })).status);
    }
    expect(statuses).toEqual([403, 403, 404]);
    expect((await upload(server, shop, JPEG, { token: "wrong" })).status).toBe(401);
    const own = await tokenOf("owner", shop);
    expect((await upload(server, shop, JPEG, { token: own })).status).toBe(200);
  });

  test("needs a product, a picture and its type", async () => {
    const answers = [
      await upload(server, shop, JPEG, { id: "none" }),
      await upload(server, shop, "<svg onload=alert(1)>", { type: "image/png" }),
      await upload(server, shop, JPEG, { type: "image/svg+xml" }),
      await upload(server, shop, JPEG, { type: "text/html" }),
      await upload(server, shop, JPEG.subarray(0, 300)),
      await upload(server, shop, pngOf(60_000, 60_000)),
      await upload(server, shop, ""),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 415, 415, 400, 400, 400]);
    expect(answers[1]?.body.message).toMatch(/^The file is not a picture\./);
  });

  test("waits for others of its site to end", async () => {
    let end = () => {};
    const busy = new Promise<void>((resolve) => {
      end = resolve;
    });
    const others = [1, 2].map(() =>
      server.context.pictureUploads.run(shop.site_key_hash, () => busy),
    );
    expect((await upload(server, shop, JPEG)).status).toBe(429);
    end();
    await Promise.all(others);
    expect((await upload(server, shop, JPEG)).status).toBe(200);
  });

  test("leaves nothing of a file that is also a page", async () => {
    const page = "<script>alert(document.domain)</script>";
    const { image_url } = (await upload(server, shop, Buffer.concat([PNG, Buffer.from(page)])))
      .body;
    const { bytes } = await read(image_url);
    expect(bytes.includes("<script>")).toBe(false);
  });

  test("has an address that no other path leads to", async () => {
    const { image_url } = (await upload(server, shop, JPEG)).body;
    const other = await at.shop();
    const paths = [
      image_url.replace(shop.site_key_hash, other.site_key_hash),
      `${image_url}.html`,
      image_url.slice(0, -1),
      `${server.url}/v1/pictures/${shop.site_key_hash}/${"A".repeat(43)}`,
    ];
    const statuses = await Promise.all(paths.map(async (url) => (await fetch(url)).status));
    expect(statuses).toEqual([404, 404, 404, 404]);
  });
});

test.each([
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
] as const)("a backup of %s restores pictures into %s", async (from, to) => {
  const { server, at } = await openMarket(from, new ManualClock(NOON));
  const shop = await at.shop();
  const { image_url } = (await upload(server, shop, WEBP)).body;
  const { picture_url } = (await upload(server, shop, JPEG, { id: null })).body;
  await server.stop();
  const out = join(temporaryFolder(), "backup.ndjson.gz");
  await backup(server.env, { out });
  const elsewhere = await freshEnvironment(to);
  await restore(elsewhere, out, byDigest(out));
  const restored = await startServer(elsewhere);
  const readThere = (url: string) => read(restored.url + new URL(url).pathname);
  expect(Buffer.compare((await readThere(image_url)).bytes, WEBP)).toBe(0);
  // The address begins with that of the service, and the picture follows it there.
  const { body: site } = await restored.admin("GET", `/v1/admin/sites/${shop.site_key_hash}`);
  expect(new URL(site.picture_url).pathname).toBe(new URL(picture_url).pathname);
  expect(Buffer.compare((await readThere(site.picture_url)).bytes, JPEG)).toBe(0);
});
