import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, parseJson } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { card, plainJson, type Terminal } from "../terminal.js";

interface ShopBody {
  readonly shipping: readonly {
    readonly countries: readonly string[];
    readonly options: readonly {
      readonly id: string;
      readonly title: string;
      readonly prices: Readonly<Record<string, string>>;
    }[];
  }[];
  readonly taxes: readonly unknown[];
  readonly terms: { readonly version: string } | null;
  readonly links: Readonly<Record<string, string>>;
  readonly allow_unsigned: boolean;
  readonly buyer_mail: boolean;
}

const HOW_TO_WRITE =
  "Start from the current settings: gatehouse site shop <site> --json > shop.json";

function readShopFile(file: string): JsonObject {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    throw new CommandError(`${file} cannot be read.`, EXIT.failed, HOW_TO_WRITE);
  }
  const parsed = parseJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const why = parsed.ok ? "it is not an object" : parsed.detail;
  throw new CommandError(`${file} is not strict JSON: ${why}.`, EXIT.failed, HOW_TO_WRITE);
}

/** `DE, AT: By post (standard) 4.90 EUR; …` */
function zoneText({ countries, options }: ShopBody["shipping"][0]): string {
  const ways = options.map(({ title, id, prices }) => {
    const sums = Object.entries(prices).map(([currency, price]) => `${price} ${currency}`);
    return `${title} (${id}) ${sums.join(", ")}`;
  });
  return `${countries.join(", ")}: ${ways.join("; ")}`;
}

/** `site shop`: where a site sends things, what it adds for taxes, and what buyers agree to. */
export function siteShopCommand(site: Command, terminal: Terminal): void {
  site
    .command("shop")
    .argument("<site>", "domain, site key or site key hash")
    .description("show or set shipping, taxes and terms for sales through platforms")
    .option("--file <file>", "JSON file with all settings; settings that it leaves out are cleared")
    .option("--json", "print JSON, in the format of --file")
    .action(async (text: string, { file, json }: { file?: string; json?: boolean }) => {
      const settings = file === undefined ? undefined : readShopFile(file);
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/shop`;
      const shop =
        settings === undefined
          ? await client.call<ShopBody>("GET", path)
          : await client.call<ShopBody>("PUT", path, settings);
      if (json) return terminal.out(plainJson(shop));
      terminal.out(
        card({
          "ships to": shop.shipping.map(zoneText).join("\n") || "nowhere: nothing is shipped",
          taxes: shop.taxes.length === 0 ? "none added" : counted(shop.taxes.length, "rate"),
          terms:
            shop.terms === null ? "default text in your name" : `version ${shop.terms.version}`,
          links: Object.keys(shop.links).join(", ") || "none",
          "unsigned orders": shop.allow_unsigned ? "accepted" : "rejected",
          "emails to buyers": shop.buyer_mail ? "sent, if a mail server is configured" : "not sent",
        }),
      );
    });
}
