import { beforeAll, describe, expect, test } from "vitest";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { newKey, registering } from "./registering.ts";

describe.each(TIER_DATABASES)("asking a key source at registration, on %s,", (dialect) => {
  let server: TestServer;
  beforeAll(async () => {
    const env = await freshEnvironment(dialect);
    server = await startServer({ ...env, GATEHOUSE_TRUST_PROXY: "127.0.0.1" });
    return cleanUp;
  });

  /** Two networks that have one share of what strangers may store. */
  function colliding(): readonly [string, string] {
    const seen = new Map<string, string>();
    for (let n = 1; ; n++) {
      const prefix = `2001:db8:${n.toString(16)}`;
      const share = server.context.networkShares.shareOf(`${prefix}::/48`);
      const other = seen.get(share);
      if (other !== undefined) return [other, prefix];
      seen.set(share, prefix);
    }
  }

  test("counts for the caller's own network, not for another one with the same share number", async () => {
    const { networkShares, safeFetch } = server.context;
    const agent = registering(server);
    const site = await createSite(server, "shop.example.com");
    const sources: (string | undefined)[] = [];
    const get = safeFetch.get.bind(safeFetch);
    safeFetch.get = (url, options) => {
      sources.push(options?.source);
      return get(url, options);
    };
    const networks = colliding();
    for (const network of networks) {
      const key_source = { type: "jwks_uri", url: "https://keys.invalid/jwks.json" };
      const body = await agent.registration(site, await newKey(), { key_source });
      const headers = { "x-forwarded-for": `${network}::1` };
      const answer = await agent.post(`/v1/m/${site.site_key}/agents`, body, headers);
      expect(answer.body.reason).toBe("identity_check_failed");
    }
    expect(sources).toEqual(networks.map((network) => `${network}::/48`));
    const [one, two] = sources.map((source) => networkShares.shareOf(source ?? ""));
    expect(one).toBe(two);
  });
});
