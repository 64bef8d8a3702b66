import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { siteConnection } from "../../server/src/domain/shop-connections/store.ts";
import { ManualClock } from "../../server/src/infra/clock.ts";
import { ShopStandIn } from "../../server/test/connectors/shop-stand-in.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
  temporaryFolder,
} from "../../server/test/harness.ts";
import { PNG } from "../../server/test/pictures/sample-pictures.ts";
import { command } from "./command.ts";

const SHOP = "shop.example.com";
let env: Record<string, string>;
let folder = "";
let card = "";
let key = "";
let agentId = "";
let server: TestServer;
let system: ShopStandIn;
const run = (...args: string[]) => command(args, env);
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

beforeAll(async () => {
  system = await ShopStandIn.start(new ManualClock(Date.now()));
  const base = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: system.host };
  server = await startServer(base);
  env = { ...base, GATEHOUSE_BASE_URL: server.url };
  folder = temporaryFolder({ ofSender: true });
  const made = JSON.parse((await run("site", "create", SHOP, "--name", "Shop", "--json")).out);
  await run("site", "verify", SHOP, "--method", "operator", "--reason", "a test");
  await run("skill", "set", SHOP, "place_order");
  card = `${server.url}/v1/agent-card/${made.site_key}.json`;
  key = join(folder, "key.json");
  await run("agent", "keygen", "--out", key);
  const added = await run("agent", "add", SHOP, "--key", key, "--name", "Ours");
  [agentId = ""] = added.out.split("  ");
  return async () => {
    system.stop();
    await cleanUp();
  };
});

const buying = (verb: string, total: string, ...more: string[]) =>
  run(
    "mandate",
    verb,
    card,
    "--key",
    key,
    "--agent",
    agentId,
    "--skill",
    "place_order",
    "--arguments",
    '{"items":[{"id":"rose","quantity":2}]}',
    "--total",
    total,
    "--currency",
    "EUR",
    "--pay",
    "sandbox:pm_card_visa",
    ...more,
  );

test("an owner imports products, and sees line by line what was refused", async () => {
  expect((await run("product", "list", SHOP)).out).toMatch(/^No products yet/);
  const csv = file(
    "products.csv",
    "id,title,price,currency,quantity\nrose,Rose,10,EUR,9\n,X,1,EUR,\n",
  );
  const half = await run("product", "import", SHOP, csv);
  expect(half.out).toBe("1 saved; shop.example.com now has 1 product.\n");
  expect(half.err).toMatch(/^line 3: id: is missing\n/);
  expect([half.code, half.err]).toEqual([
    1,
    expect.stringContaining("1 line was rejected; the others were imported.\nFix it and"),
  ]);
  const lines = file("p.jsonl", '{"id":"vase","title":"Vase","price":"2.50","currency":"EUR"}\n');
  expect((await run("product", "import", SHOP, lines)).code).toBe(0);
  const listed = await run("product", "list", SHOP);
  expect(listed.out).toMatch(/^rose +Rose +10\.00 EUR +in_stock +9$/m);
  expect(listed.out).toMatch(/^vase +Vase +2\.50 EUR +in_stock +not counted$/m);
  const found = await run("product", "list", SHOP, "--search", "VAS");
  expect(found.out).toMatch(/^ID .*\nvase .*\n$/);
  expect((await run("product", "list", SHOP, "--search", "r%se")).out).toBe(
    "No products match. List all: gatehouse product list shop.example.com\n",
  );
  expect((await run("product", "import", SHOP, join(folder, "none.csv"))).err).toMatch(
    /does not exist/,
  );
  expect((await run("product", "import", SHOP, join(folder, "none"))).err).toMatch(
    /does not exist/,
  );
  const what = await run("product", "import", SHOP, file("what", "x"));
  expect([what.code, what.err]).toEqual([
    2,
    expect.stringMatching(/--format csv or --format jsonl/),
  ]);
});

test("an owner uploads the picture of a product, whatever its name says it is", async () => {
  const picture = join(folder, "rose.jpg");
  writeFileSync(picture, PNG);
  const saved = await run("product", "picture", SHOP, "rose", picture);
  const [, url = ""] =
    /^rose at shop\.example\.com has a new picture: (\S+)\n$/.exec(saved.out) ?? [];
  expect((await fetch(url)).headers.get("content-type")).toBe("image/png");
  const asJson = await run("product", "picture", SHOP, "rose", picture, "--json");
  expect(JSON.parse(asJson.out)).toMatchObject({ id: "rose", image_url: url });
  const refusals = [
    await run("product", "picture", SHOP, "rose", file("page.png", "<svg onload=alert(1)>")),
    await run("product", "picture", SHOP, "rose", file("rose.svg", "<svg/>")),
    await run("product", "picture", SHOP, "rose", join(folder, "none.png")),
    await run("product", "picture", SHOP, "none", picture),
  ];
  expect(refusals.map(({ code }) => code)).toEqual([1, 2, 1, 1]);
  expect(refusals.map(({ err }) => err.split("\n")[0])).toEqual([
    "The file is not a picture. Choose a JPEG, PNG or WebP file.",
    expect.stringMatching(/rose\.svg is not a supported picture file\.$/),
    expect.stringMatching(/none\.png does not exist\.$/),
    "The site has no such product.",
  ]);
});

test("an owner sets more pictures of a product, and removes them", async () => {
  const set = (...flags: string[]) => run("product", "set", SHOP, "rose", ...flags, "--json");
  const [first, second] = ["https://a.example.com/1", "https://a.example.com/2"] as const;
  const picturesOf = ({ out }: { out: string }) => JSON.parse(out).additional_image_urls;
  expect(picturesOf(await set("--more-image", first, second))).toEqual([first, second]);
  expect(picturesOf(await set("--more-image", second, "--more-image", first))).toEqual([
    second,
    first,
  ]);
  expect(picturesOf(await set("--title", "Rose"))).toEqual([second, first]);
  const mixed = await set("--more-image", "none", first);
  expect([mixed.code, mixed.err]).toEqual([2, expect.stringContaining("--more-image: none")]);
  expect(picturesOf(await set("--more-image", "none"))).toEqual([]);
});

test("an owner finds a product by its SKU, which the list shows as soon as one has it", async () => {
  expect((await run("product", "list", SHOP)).out).toMatch(/^ID +TITLE /);
  await run("product", "set", SHOP, "rose", "--sku", "SHELF-7");
  const found = await run("product", "list", SHOP, "--search", "shelf");
  expect(found.out).toMatch(/^ID +SKU +TITLE .*\nrose +SHELF-7 +\S.*\n$/);
  await run("product", "set", SHOP, "rose", "--sku", "");
  expect((await run("product", "list", SHOP)).out).toMatch(/^ID +TITLE /);
});

test("an owner says whether a product has identifiers", async () => {
  const set = async (word: string) =>
    run("product", "set", SHOP, "rose", "--identifier-exists", word, "--json");
  for (const [word, exists] of [
    ["no", false],
    ["yes", true],
    ["unknown", null],
  ] as const) {
    expect(JSON.parse((await set(word)).out).identifier_exists).toBe(exists);
  }
  expect(await set("maybe")).toMatchObject({ code: 2 });
});

test("gates are listed with the command that opens each, and open one by one", async () => {
  expect((await run("skill", "list", SHOP)).out).toMatch(
    /^place_order +on, not ready: see `site gates`/m,
  );
  const shut = await run("site", "gates", SHOP);
  expect(shut.out).toMatch(
    /^– payment provider +Connect a payment provider\. Run: gatehouse site connect shop\.example\.com --processor sandbox\|stripe$/m,
  );
  expect(shut.out).toMatch(/Agents cannot buy yet\.\n$/);
  await run("site", "connect", SHOP, "--no-rail");
  // Changing something else leaves it so.
  const later = await run("site", "connect", SHOP, "--wallet", "merchant-1");
  expect(later.out).toMatch(
    /^– payments by agents .* Run: gatehouse site connect shop\.example\.com --rail$/m,
  );
  const policy = JSON.parse(
    (await run("policy", "preset", "automatic_under", "--limit", "50.00", "--currency", "EUR")).out,
  );
  await run("policy", "publish", SHOP, file("policy.json", JSON.stringify(policy)));
  const open = await run("site", "connect", SHOP, "--rail");
  expect(open.out).toMatch(
    /^Payment provider: sandbox \(test mode, no real money\)\.\n(?:✓ .* ready\n)+/,
  );
  expect(open.out).toMatch(/Agents can buy\.\n$/);
});

test("agents cannot buy while nothing is offered or sold or mandates are off, even with all gates open", async () => {
  const said = async () => (await run("site", "gates", SHOP)).out;
  await run("skill", "disable", SHOP, "place_order");
  await run("site", "mandates", SHOP, "--off");
  const off = await said();
  expect(off).toMatch(
    /^– action place_order +Turn on place_order \(only needed for mandates\)\. Run: gatehouse skill enable \S+ place_order$/m,
  );
  expect(off).toMatch(
    /^– signed requests +Turn mandates on\. Run: gatehouse site mandates \S+ --on$/m,
  );
  expect(off).toMatch(/Agents cannot buy yet\.\n$/);
  await run("site", "mandates", SHOP, "--on");
  expect(await said()).toMatch(
    /Agents can buy at checkout \(UCP\), but not with signed requests \(mandates\)\.\n$/,
  );
  await run("skill", "enable", SHOP, "place_order");
  expect(await said()).toMatch(/Agents can buy\.\n$/);
  await run("site", "create", "empty.example.com", "--name", "Empty");
  const json = await run("site", "gates", "empty.example.com", "--json");
  const { can_buy, checks } = JSON.parse(json.out);
  const shut = checks.filter(({ open }: { open: boolean }) => !open);
  expect([can_buy, shut.map(({ name }: { name: string }) => name)]).toEqual([
    false,
    ["domain", "processor", "rail", "settlement", "policy", "products", "skill"],
  ]);
  const slip = await run("skill", "set", SHOP, "place_ordr");
  expect([slip.code, slip.err]).toEqual([
    2,
    expect.stringMatching(/Built-in skills: .*place_order/),
  ]);
});

test("gates say since when a connected shop system does not answer", async () => {
  const domain = "connected.example.com";
  const created = await run("site", "create", domain, "--name", "Connected", "--json");
  const { site_key_hash } = JSON.parse(created.out);
  await system.connect(server, site_key_hash);
  const { db, shopSystem } = server.context;
  const connection = await siteConnection(db, site_key_hash);
  if (connection === undefined) throw new Error("the site is not connected");
  const gates = async () => (await run("site", "gates", domain)).out;
  expect(await gates()).toMatch(/Agents cannot buy yet\.\n$/);
  system.spoil = { release: "silent" };
  const message = { messageId: "msg_1", reservationId: "pay_1" };
  await shopSystem.release(connection, message);
  expect(await gates()).toMatch(
    /^The shop system has not given a valid answer since .+: .+\. Until it answers, nobody can buy\.\n$/m,
  );
  const json = JSON.parse((await run("site", "gates", domain, "--json")).out);
  expect(json.shop_unanswered).toEqual({ since: expect.any(String), problem: expect.any(String) });
  system.spoil = {};
  await shopSystem.release(connection, message);
  expect(await gates()).not.toContain("has not answered");
});

test("an agent buys, and the owner sees the order and why it was approved", async () => {
  expect((await run("order", "list", SHOP)).out).toBe(
    "No orders yet. Check whether agents can buy: gatehouse site gates shop.example.com\n",
  );
  const mandate = await buying("sign", "20.00", "--id", "order-of-the-test-1");
  const signed = file("mandate.json", mandate.out);
  const bought = await buying("send", "20.00", "--id", "order-of-the-test-2");
  expect([bought.code, JSON.parse(bought.out).outcome]).toEqual([0, "approved"]);
  const listed = await run("order", "list", SHOP);
  expect(listed.out).toMatch(/20\.00 EUR +2 × rose +open +authorized +a2a +agt_/);
  const [, id = ""] = /(ord_\S+)/.exec(listed.out) ?? [];
  expect((await run("order", "list", SHOP, "--agent", agentId)).out).toBe(listed.out);
  expect((await run("order", "list", SHOP, "--agent", "agt_none")).out).toBe(
    "No orders match. List all: gatehouse order list shop.example.com\n",
  );
  const today = new Date().toISOString();
  expect((await run("order", "list", SHOP, "--from", "2026-01-01", "--until", today)).out).toBe(
    listed.out,
  );
  for (const none of [
    ["--until", "2026-01-01"],
    ["--buyer", "nobody"],
    ["--status", "refunded"],
  ]) {
    const { code, out } = await run("order", "list", SHOP, ...none);
    expect([code, out]).toEqual([0, expect.stringMatching(/^No orders match\./)]);
  }
  const swapped = await run("order", "list", SHOP, "--from", today, "--until", "2026-01-01");
  expect([swapped.code, swapped.err]).toEqual([
    2,
    expect.stringMatching(/^--from must be before --until\.\nSwap them/),
  ]);
  expect((await run("mandate", "list", SHOP, "--agent", "agt_none")).out).toBe(
    "No decisions match. List all: gatehouse mandate list shop.example.com\n",
  );
  const shown = await run("order", "show", SHOP, id);
  expect(shown.out).toMatch(/^lines +li_1: 2 × Rose \(rose\), 10\.00 EUR each; 0 sent$/m);
  expect(shown.out).toMatch(/^mandate_id +order-of-the-test-2\ndecision_id +dec_/m);
  expect(shown.err).toContain("gatehouse mandate show shop.example.com order-of-the-test-2");
  expect((await run("mandate", "show", SHOP, id)).err).toBe(
    `${id} is the id of an order, not of a mandate.\n` +
      `Find the id of its mandate: gatehouse order show ${SHOP} ${id}\n`,
  );
  expect((await run("order", "show", SHOP, "ord_none")).err).toMatch(
    /^There is no such order\.\n`gatehouse order list shop\.example\.com`/,
  );
  expect((await run("mandate", "list", SHOP)).out).toMatch(/approved +place_order +20\.00 EUR/);
  const [{ evaluated_at }] = JSON.parse(
    (await run("mandate", "list", SHOP, "--json", "--from", "2026-01-01")).out,
  ).items;
  const before = await run("mandate", "list", SHOP, "--to", evaluated_at);
  expect(before.out).toMatch(/^No decisions match\./);
  expect((await run("mandate", "list", SHOP, "--from", evaluated_at)).out).toMatch(/place_order/);
  const turned = ["--from", "2026-01-02", "--to", "2026-01-01"];
  expect((await run("mandate", "list", SHOP, ...turned)).err).toMatch(/--from must be before --to/);
  const early = await run("mandate", "explain", signed, "--site", SHOP);
  expect([early.code, early.err]).toEqual([1, expect.stringContaining("has no decision about")]);
  const cheap = await buying("send", "1.00", "--id", "order-of-the-test-1");
  expect(JSON.parse(cheap.out).reason).toBe("cart_mismatch");
  expect((await run("mandate", "list", SHOP)).out).toMatch(/rejected +place_order +cart_mismatch /);
  const why = await run("mandate", "explain", signed, "--site", SHOP);
  expect(why.out).toMatch(/^signed bytes +service-mandate-v1/);
  expect(why.out).toMatch(/^outcome +rejected cart_mismatch\ndecided by +no rule/m);
});

test("an owner who cancels a part sees what is owed, what was captured and what to refund", async () => {
  const ordered = async (id: string) => {
    await buying("send", "20.00", "--id", id);
    const { items } = JSON.parse((await run("order", "list", SHOP, "--json")).out);
    const order = items.find((one: { mandate_id: string }) => one.mandate_id === id);
    return `#${order.number}`;
  };
  const part = ["--line", "li_1=1"];
  const first = await ordered("order-cancelled-in-part-1");
  expect((await run("order", "cancel", SHOP, first, ...part)).out).toMatch(
    /^payment +authorized\nto_capture +10\.00 EUR \(items worth 10\.00 EUR were cancelled\)\norder_id/m,
  );
  await run("order", "simulate", SHOP, first, "capture");
  expect((await run("order", "show", SHOP, first)).out).toMatch(
    /^payment +captured\ncaptured +10\.00 EUR\norder_id/m,
  );
  const second = await ordered("order-cancelled-in-part-2");
  await run("order", "capture", SHOP, second);
  await run("order", "cancel", SHOP, second, ...part);
  expect((await run("order", "show", SHOP, second)).out).toMatch(
    /^captured +20\.00 EUR\nto_refund +10\.00 EUR: you captured more than is owed \(items worth 10\.00 EUR were cancelled\)$/m,
  );
  await run("order", "refund", SHOP, second, "--amount", "4.00", "--reason", "One broke");
  expect((await run("order", "show", SHOP, second)).out).toMatch(
    /^payment +partly refunded: 4\.00 EUR\ncaptured +20\.00 EUR\nrefunded +4\.00 EUR\nto_refund +6\.00 EUR: /m,
  );
  await run("order", "simulate", SHOP, second, "refund", "--amount", "6.00");
  expect((await run("order", "show", SHOP, second)).out).toMatch(
    /^captured +20\.00 EUR\nrefunded +10\.00 EUR\norder_id/m,
  );
});

test("a purchase that a person must approve is shown with its items, and paid once approved", async () => {
  await run(
    "product",
    "import",
    SHOP,
    file("dear.csv", "id,title,price,currency\nrose,Rose,40,EUR\n"),
  );
  const waiting = JSON.parse((await buying("send", "80.00", "--id", "order-of-the-test-3")).out);
  expect(waiting.outcome).toBe("escalated");
  const deciding = async () => (await run("mandate", "show", SHOP, "order-of-the-test-3")).out;
  expect(await deciding()).toMatch(
    /^decided by +nobody yet\n +rule \S+, version 1, requires a review$/m,
  );
  const shown = await run("review", "show", SHOP, waiting.escalation_id);
  expect(shown.out).toMatch(/^amount +80\.00 EUR\nitems +2 × Rose \(rose\)$/m);
  expect((await run("review", "approve", SHOP, waiting.escalation_id)).out).toBe("approved\n");
  const signed = file(
    "third.json",
    (await buying("sign", "80.00", "--id", "order-of-the-test-3")).out,
  );
  const why = await run("mandate", "explain", signed, "--site", SHOP);
  const [, reviewer = ""] = /^ +approved by (\S+) at /m.exec(why.out) ?? [];
  expect(reviewer).not.toBe("");
  expect(why.out).toMatch(
    new RegExp(
      `^decided by +${reviewer}, in a review\\n +rule \\S+, version 1, requires a review$`,
      "m",
    ),
  );
  expect(why.out).toMatch(/^payment +authorized$/m);
  const refused = async (id: string, ...more: string[]) => {
    const sent = await buying("send", "80.00", "--id", id, ...more);
    return JSON.parse(sent.out).escalation_id as string;
  };
  const declined = await refused("order-of-the-test-4", "--pay", "sandbox:pm_card_chargeDeclined");
  expect(await run("review", "approve", SHOP, declined)).toEqual({
    code: 1,
    out: "payment_failed\n",
    err: expect.stringMatching(
      /^You approved it, but the payment failed: \w+\.\n`gatehouse review show /,
    ),
  });
  const changed = await refused("order-of-the-test-5");
  await run("agent", "suspend", SHOP, agentId);
  expect(await run("review", "approve", SHOP, changed)).toEqual({
    code: 1,
    out: "",
    err: expect.stringMatching(
      /^The agent is suspended\. Approve the agent first, then approve this request\.\nSee .*\/approval-blocked\.md\n$/,
    ),
  });
  await run("agent", "approve", SHOP, agentId);
  expect((await run("review", "approve", SHOP, changed)).out).toBe("approved\n");
  await run("site", "disconnect", SHOP);
  const shut = JSON.parse((await buying("send", "80.00")).out);
  expect(shut.reason).toBe("skill_not_live");
});

test("an owner sets where the shop ships and what buyers agree to", async () => {
  expect((await run("site", "shop", SHOP)).out).toContain("nowhere: nothing is shipped");
  const shop = {
    shipping: [
      { countries: ["DE"], options: [{ id: "post", title: "By post", prices: { EUR: "4.90" } }] },
    ],
    terms: { text: "Be kind.", version: "2030-05" },
  };
  const set = await run("site", "shop", SHOP, "--file", file("shop.json", JSON.stringify(shop)));
  expect(set.out).toMatch(/ships to +DE: By post \(post\) 4\.90 EUR\n/);
  expect(set.out).toMatch(/terms +version 2030-05\n/);
  expect(JSON.parse((await run("site", "shop", SHOP, "--json")).out)).toMatchObject(shop);
  const wrong = await run("site", "shop", SHOP, "--file", file("wrong.json", '{"taxes": 5}'));
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("taxes")]);
  const none = await run("site", "shop", SHOP, "--file", "no-such-file.json");
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("cannot be read")]);
});

test("an owner pauses and resumes sales, and every command that shows the site says so", async () => {
  const paused = await run("site", "pause", SHOP);
  expect([paused.code, paused.out]).toEqual([
    0,
    expect.stringMatching(/are paused\..*site resume/),
  ]);
  expect((await run("site", "show", SHOP)).out).toMatch(/^sales +paused since \d{4}-/m);
  expect((await run("site", "gates", SHOP)).out).toMatch(
    /– sales +Resume sales\. Run: [\s\S]*\nNothing can be bought while sales are paused\.\n$/,
  );
  const checked = await run("site", "check", SHOP, "--origin", "http://127.0.0.1:9", "--json");
  expect(JSON.parse(checked.out).findings).toContainEqual(
    expect.objectContaining({ item: "sales", advice: expect.stringContaining("site resume") }),
  );
  const sales = (await run("doctor")).out.split("\n").find((line) => line.includes("sales"));
  expect(sales).toContain(`paused: ${SHOP}`);
  const resumed = await run("site", "resume", SHOP, "--json");
  expect(JSON.parse(resumed.out)).toMatchObject({ domain: SHOP, paused_at: null });
  expect((await run("site", "show", SHOP)).out).not.toMatch(/^sales /m);
  expect((await run("doctor")).out).not.toContain("sales");
});
