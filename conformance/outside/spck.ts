import { execFile, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newPlatformKey, profileOf } from "../../packages/server/test/ucp/platform.ts";
import { type Market, openMarket } from "./market.ts";

/** Other people's checks for merchants of UCP 2026-04-08, read from beside the repository and never committed. */
const SUITE = fileURLToPath(new URL("../../../shared/outside/spck/", import.meta.url));
const RUNNER = fileURLToPath(new URL("spck-run.py", import.meta.url));
const VERSION = "2026-04-08";
const SHOP = "moss.example.com";
/** The platform that spck names in its requests. The address is built into it. */
const SPCK = "spck.dev";
const RUN_MS_MAX = 400_000;

export interface CheckResult {
  readonly id: string;
  /** `clean-pass`, `deviation`, or why it was not run. */
  readonly status: string;
  /** Whether the check notices the defects that spck puts into the answer; null if it was not run. */
  readonly sound: boolean | null;
  readonly observed?: unknown;
}

/** Why the checks cannot run here; undefined if they can. */
export function spckAbsent(): string | undefined {
  if (!existsSync(SUITE)) return "../shared/outside/spck is not beside this repository";
  if (spawnSync("python3", ["--version"]).status !== 0) return "there is no python3 here";
  return undefined;
}

const product = (id: string, title: string, more: object = {}) => ({
  id,
  title,
  price: "10.00",
  currency: "USD",
  quantity: 1000,
  ...more,
});

/** More products than fit on one page of a search. */
const BULBS = Array.from({ length: 13 }, (_, i) => product(`bulb-${i}`, `A tulip bulb, kind ${i}`));

const GOODS = {
  products: [
    product("rose", "A red rose"),
    product("vase", "A vase"),
    product("gone", "A tulip", { availability: "out of stock" }),
    ...BULBS,
  ],
  settings: {
    shipping: [
      { countries: ["US"], options: [{ id: "std", title: "By post", prices: { USD: "4.90" } }] },
    ],
    // None of its purchases is signed.
    allow_unsigned: true,
  },
};

const PURCHASE = {
  buyer: { first_name: "Ada", last_name: "Love", email: "ada@example.com" },
  address: {
    street_address: "1 Main St",
    address_locality: "Springfield",
    address_region: "IL",
    postal_code: "62701",
    address_country: "US",
  },
};

const paying = (token: string) => ({
  payment: {
    instruments: [
      { id: "i_1", handler_id: "sandbox", type: "card", credential: { type: "token", token } },
    ],
  },
});

/** Publishes the profiles that spck names, and returns the configuration of its checks. */
function publishProfiles({ platform }: Market) {
  const keys = [newPlatformKey("spck"), newPlatformKey("spck-before")] as const;
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const unsupported = { ...publicKey.export({ format: "jwk" }), kid: "spck-p384", use: "sig" };
  const all = [...keys.map(({ publicJwk }) => publicJwk), unsupported] as never;
  const publish = (path: string, profile: unknown) => {
    platform.profiles.set(path, JSON.stringify(profile));
    return `https://${SPCK}${path}`;
  };
  publish("/agent", profileOf(all, undefined, undefined, VERSION));
  const [current, before] = keys.map(({ kid, privateJwk }) => ({ ...privateJwk, kid }));
  return {
    product_id: "rose",
    out_of_stock_id: "gone",
    unavailable: { business_outcome: true },
    currency: "USD",
    fulfillment_option_id: "std",
    complete_payment: paying("pm_card_visa"),
    payment: { escalation_payment: paying("pm_card_authenticationRequired") },
    catalog: {
      variant_id: "rose",
      max_batch: 50,
      paginated_query: "bulb",
      paginated_total: BULBS.length,
    },
    cart: { second_product_id: "vase" },
    discovery: { supported_versions: true },
    negotiation: {
      validates_profile_url: true,
      unsupported_version_profile_url: publish(
        "/old",
        profileOf([], undefined, undefined, "2025-01-01"),
      ),
      incompatible_caps_profile_url: publish(
        "/order-only",
        profileOf([], ["dev.ucp.shopping.order"], undefined, VERSION),
      ),
      malformed_profile_url: publish("/malformed", []),
      unreachable_profile_url: `https://${SPCK}/nowhere`,
    },
    signature: {
      responses: true,
      request_private_jwk: current,
      rotated_private_jwk: before,
      unsupported_alg_kid: unsupported.kid,
    },
    // It goes on as soon as a webhook arrives. A failed one is sent again within 50 seconds.
    webhooks: { simulate: true, signed: true, retries: true, wait_seconds: 90 },
    eligibility: { unrecognized: "com.example.loyalty_gold" },
  };
}

/** Runs all checks against a shop of its own, whose profile at the root is in the version that spck checks. */
export async function runSpck(): Promise<readonly CheckResult[]> {
  const market = await openMarket(
    { [SHOP]: VERSION },
    {
      goods: GOODS,
      builtIn: SPCK,
      // Its platform that waits for webhooks has no name.
      fetchAllow: ["127.0.0.1"],
      env: {
        GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000",
        GATEHOUSE_PROFILE_FETCHES_PER_SOURCE_PER_MINUTE: "100000",
      },
    },
  );
  try {
    const { certFile, portsFile } = market.names;
    const settings = join(market.folder, "spck.json");
    const config = publishProfiles(market);
    const server = `https://${SHOP}`;
    writeFileSync(
      settings,
      JSON.stringify({ server, certFile, portsFile, config, purchase: PURCHASE }),
    );
    // Python must not write compiled files into a folder that is not ours.
    const env = { PATH: process.env.PATH, HOME: market.folder, PYTHONDONTWRITEBYTECODE: "1" };
    const options = { env, timeout: RUN_MS_MAX, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)("python3", [RUNNER, SUITE, settings], options);
    return JSON.parse(stdout);
  } finally {
    await market.close();
  }
}
