import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON } from "../harness.ts";
import { from, mcpShop, TRUSTED_PROXY } from "../mcp/asking.ts";
import { ADDRESS_OF_64 } from "./renamings.ts";

/** Only the limit under test is ever reached. */
const LIMITS = {
  GATEHOUSE_MCP_CALLS_PER_ADDRESS_PER_MINUTE: "3",
  GATEHOUSE_REQUESTS_PER_ADDRESS_PER_MINUTE: "1000000",
  GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
  GATEHOUSE_UNPROVEN_REQUESTS_PER_MINUTE: "1000000",
};
const RUNS = { numRuns: 300, seed: 20_261_117 };

const TEXT = fc.stringMatching(/^[A-Za-z0-9./ -]{0,20}$/);
/** Headers a caller can write as it likes; none of them says who it is. */
const HEADERS = fc.record(
  {
    "user-agent": TEXT,
    "accept-language": fc.constantFrom("de", "en", "*"),
    forwarded: fc.ipV6().map((address) => `for="[${address}]"`),
    "x-real-ip": fc.ipV4(),
    "x-service-request-id": fc.uuid(),
    "x-api-key": fc.uuid(),
  },
  { requiredKeys: [] },
);

test("no session, header or address of the same network gives a caller one more call", async () => {
  const clock = new ManualClock(NOON);
  const env = { ...LIMITS, ...TRUSTED_PROXY };
  const { call, session } = await mcpShop({ env, overrides: { clock } });
  const elsewhere = await mcpShop();
  const sessions = [await session(), await session(), await elsewhere.session(), {}];
  for (let i = 0; i < 3; i++) {
    expect((await call(from("2001:db8:a:b::1"))).body.error).toBeUndefined();
  }
  const made = fc.uuid().map((id) => ({ "mcp-session-id": id }));
  const renamings = fc.asyncProperty(
    ADDRESS_OF_64,
    fc.option(fc.ipV4(), { nil: undefined }),
    HEADERS,
    fc.oneof(fc.constantFrom(...sessions), made),
    async (address, claimed, headers, named) => {
      // What a caller itself writes stands before what the proxy has seen.
      const hops = claimed === undefined ? address : `${claimed}, ${address}`;
      const { body } = await call({ ...headers, ...named, ...from(hops) });
      expect(body.error?.data).toMatchObject({ error: "rate_limited", scope: "address" });
    },
  );
  await fc.assert(renamings, RUNS);
  expect((await call(from("2001:db8:a:c::1"))).body.error).toBeUndefined();
}, 60_000);
