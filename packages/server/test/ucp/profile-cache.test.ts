import { ok } from "@gatehouse/protocol";
import { expect, test } from "vitest";
import type { Context } from "../../src/context.ts";
import type { Caller } from "../../src/http/server/admission/caller.ts";
import { PlatformProfiles } from "../../src/http/ucp/platform-profiles.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { networksOf, prefixOf } from "../../src/infra/networks.ts";
import { NOON } from "../harness.ts";

const HONEST = "https://honest.example/profile.json";

const callerAt = (address: string) => {
  const networks = networksOf(address);
  return { networks, prefix: prefixOf(networks) } as Caller;
};

/** Profiles that are fetched from nowhere, and which ones were. */
function watched() {
  const fetched: string[] = [];
  const safeFetch = {
    get: async (url: string) => {
      fetched.push(url);
      const body = new TextEncoder().encode("{}");
      return ok({ status: 200, contentType: "application/json", cacheControl: "", body });
    },
  };
  const limits = { PROFILE_FETCHES_PER_SOURCE_PER_MINUTE: 30 };
  const clock = new ManualClock(NOON);
  const tools = { clock, config: { limits }, safeFetch };
  return { profiles: new PlatformProfiles(tools as unknown as Context), fetched, clock };
}

test("the cached profiles of one domain displace no profile of another platform", async () => {
  const { profiles, fetched } = watched();
  await profiles.get(HONEST, callerAt("192.0.2.1"));
  for (let n = 0; n < 1000; n++) {
    const url = `https://h${n}.stranger.example/${n}`;
    await profiles.get(url, callerAt(`198.51.100.${n % 250}`));
  }
  await profiles.get(HONEST, callerAt("192.0.2.1"));
  expect(fetched.filter((url) => url === HONEST)).toHaveLength(1);
});

test("a platform with many calls under way is fetched once for them, each time its profile is due", async () => {
  const { profiles, fetched, clock } = watched();
  for (const due of [1, 2]) {
    const calls = Array.from({ length: 100 }, () => profiles.get(HONEST, callerAt("192.0.2.1")));
    const reasons = (await Promise.all(calls)).map((one) => (one.ok ? "" : one.reason));
    // What is there is no profile, but nobody was refused for asking.
    expect(new Set(reasons)).toEqual(new Set(["profile_malformed"]));
    expect(fetched).toHaveLength(due);
    clock.advance(61_000);
  }
});
