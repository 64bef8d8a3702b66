import { connect, type Socket } from "node:net";
import { signMandate } from "@gatehouse/protocol";
import { Caller } from "../../src/http/server/admission/caller.ts";
import { newKey } from "../agents/registering.ts";
import type { TestServer } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { from } from "../mcp/asking.ts";
import type { buying } from "../ucp/buying.ts";
import { lines } from "../ucp/buying.ts";
import { newPlatformKey } from "../ucp/platform.ts";

/** Bodies that stand half-sent at a time. */
const HALF_SENT_MAX = 100;

/** Numbers from a seed, the same in every run (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** So many addresses: some IPv4, the others spread over the /48s. */
export function addressesOf(count: number, networks: number, ipv4: number): readonly string[] {
  return Array.from({ length: count }, (_, i) =>
    i < ipv4 ? `198.51.100.${i + 1}` : `2001:db8:${(i % networks) + 1}:${i.toString(16)}::1`,
  );
}

interface Target {
  readonly server: TestServer;
  readonly shop: Shop;
  readonly at: ReturnType<typeof buying>;
}

/** Everything strangers can try at a shop; each says the status it got. */
export function adversary({ server, shop, at }: Target, pick: (below: number) => number) {
  const halfSent: Socket[] = [];
  const post = async (path: string, address: string, body: unknown) =>
    (
      await fetch(server.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...from(address) },
        body: JSON.stringify(body),
      })
    ).status;
  const stranger = newPlatformKey("platform-key");

  const tricks: readonly ((address: string) => Promise<number>)[] = [
    async (address) => {
      const nobody = { agentId: "agt_nobody", key: await newKey() };
      const mandate = await signMandate(at.mandate(shop, nobody), nobody.key.signer);
      return post(`/v1/m/${shop.site_key}/mandate`, address, mandate);
    },
    async (address) =>
      (await at.create(shop, undefined, { signer: stranger, headers: from(address) })).status,
    async (address) => {
      if (halfSent.length >= HALF_SENT_MAX) halfSent.shift()?.destroy();
      halfSent.push(slowBody(server.port, `/v1/mcp/${shop.site_key}`, address));
      return 0;
    },
    async (address) => {
      const options = { sign: false, headers: from(address) };
      return (await at.call(shop, "/catalog/search", { query: "rose" }, options)).status;
    },
    async (address) => {
      const items = pick(2) === 0 ? lines(["rose", 1]) : lines(["no-such-product", 1]);
      return (await at.call(shop, "/carts", items, { sign: false, headers: from(address) })).status;
    },
    (address) => post(`/v1/m/${shop.site_key}/agents`, address, { signed: {}, envelope: {} }),
    (address) =>
      post("/v1/discovery/ingest", address, {
        schema_version: "1",
        site_key: shop.site_key,
        observed_at: new Date(server.context.clock.now()).toISOString(),
        identification: { user_agent: `bot ${pick(1000)}` },
        page_context: {},
      }),
    async (address) => {
      const answer = await at.callTool(shop, {}, undefined, "get_pricing", from(address));
      return answer.error === undefined ? 200 : 429;
    },
  ];
  /** As many requests as every address may send, and as much of the site's totals as it is given. */
  function exhaust(addresses: readonly string[]): void {
    const { admission } = server.context;
    for (const address of addresses) {
      const who = { address, secure: true, forwarded: true };
      const caller = new Caller(who, undefined as never);
      while (admission.takeCostly(caller) === 0);
      for (const total of ["mcp_calls", "shop_changes", "shop_reads", "beacons"] as const) {
        while (admission.takeOfSite(caller, total, shop.site_key_hash) === 0);
      }
    }
  }

  return {
    exhaust,
    /** One try of anything, from an address. */
    attack: (address: string) => (tricks[pick(tricks.length)] as (typeof tricks)[number])(address),
    rest: () => {
      for (const socket of halfSent) socket.destroy();
    },
  };
}

/** A body that begins and does not go on. */
function slowBody(port: number, path: string, address: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).resume();
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: ${address}\r\n` +
      `content-type: application/json\r\ncontent-length: 200000\r\n\r\n${" ".repeat(50_000)}`,
  );
  return socket;
}
