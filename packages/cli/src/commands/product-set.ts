import type { Money } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { listQuery, queryOf } from "../list-query.js";
import { moneyText } from "../money-text.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";

export interface ProductBody {
  readonly id: string;
  readonly sku: string | null;
  readonly title: string;
  readonly price: Money;
  readonly availability: string;
  readonly quantity: number | null;
  readonly reserved: number;
  readonly paused: boolean;
}

const OPTION_HINT = "Use a name and a value, such as Size=M.";

interface SetFlags {
  readonly title?: string;
  readonly description?: string;
  readonly price?: string;
  readonly currency?: string;
  readonly stock?: string;
  readonly availability?: string;
  readonly image?: string;
  readonly moreImage?: readonly string[];
  readonly brand?: string;
  readonly gtin?: string;
  readonly mpn?: string;
  readonly sku?: string;
  readonly identifierExists?: "yes" | "no" | "unknown";
  readonly category?: string;
  readonly salePrice?: string;
  readonly saleFrom?: string;
  readonly saleUntil?: string;
  readonly group?: string;
  readonly option?: readonly string[];
  readonly url?: string;
  readonly pause?: boolean;
  readonly resume?: boolean;
  readonly json?: boolean;
}

/** `Color=Red` and `Size=M` as an object. */
function optionsOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1)
        throw new CommandError(`--option: ${pair} is not valid.`, EXIT.usage, OPTION_HINT);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** The addresses, or an empty list for `none`. */
function imagesOf(addresses: readonly string[]): readonly string[] {
  if (!addresses.includes("none")) return addresses;
  if (addresses.length === 1) return [];
  const hint = "Use addresses, or only none.";
  throw new CommandError("--more-image: none is not valid with addresses.", EXIT.usage, hint);
}

const IDENTIFIER_EXISTS = { yes: true, no: false, unknown: null } as const;

/** What the flags change, in the names of the interface. `--stock none` means that it is not counted. */
function fieldsOf({ stock, pause, resume, json: _json, option, moreImage, ...texts }: SetFlags) {
  const { image, salePrice, saleFrom, saleUntil, group, identifierExists, ...same } = texts;
  const renamed = {
    image_url: image,
    sale_price: salePrice === "none" ? null : salePrice,
    sale_from: saleFrom,
    sale_until: saleUntil,
    item_group_id: group,
  };
  const given = Object.entries(renamed).filter(([, value]) => value !== undefined);
  const quantity = stock === "none" ? null : Number(stock);
  return {
    ...same,
    ...Object.fromEntries(given),
    ...(stock === undefined ? {} : { quantity }),
    ...(identifierExists === undefined
      ? {}
      : { identifier_exists: IDENTIFIER_EXISTS[identifierExists] }),
    ...(moreImage === undefined ? {} : { additional_image_urls: imagesOf(moreImage) }),
    ...(option === undefined ? {} : { options: optionsOf(option) }),
    ...(pause === true ? { paused: true } : {}),
    ...(resume === true ? { paused: false } : {}),
  };
}

/** Changes one product, or adds it if the site has none with this id. */
async function set(terminal: Terminal, text: string, id: string, flags: SetFlags) {
  const client = adminClient(terminal);
  const { site_key_hash, domain } = await findSite(client, text);
  const products = `/v1/admin/sites/${site_key_hash}/products`;
  const known: string[] = [];
  for await (const one of client.pages<ProductBody>(products + listQuery({ q: id }))) {
    known.push(one.id);
  }
  const isNew = !known.includes(id);
  const fields = fieldsOf(flags);
  const saved = isNew
    ? await client.call<ProductBody>("POST", products, { id, ...fields })
    : await client.call<ProductBody>("PATCH", products + queryOf({ id }), fields);
  if (flags.json) return terminal.out(plainJson(saved));
  const state = saved.paused ? " It is paused: nobody can buy it." : "";
  const price = moneyText(saved.price);
  terminal.out(`${isNew ? "Added" : "Changed"} ${plainText(id)} at ${domain}: ${price}.${state}`);
}

export function setProductCommand(product: Command, terminal: Terminal): void {
  product
    .command("set")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<id>", "the id; a new one adds a product")
    .description("add or change one product; fields that you leave out stay as they are")
    .option("--title <text>", "name")
    .option("--description <text>", "what agents tell buyers about it")
    .option("--price <amount>", "such as 4.50")
    .option("--currency <code>", "such as EUR")
    .option("--stock <number>", "how many can be sold; none: do not count")
    .addOption(
      choice("--availability <word>", "whether it can be ordered", [
        "in_stock",
        "out_of_stock",
        "preorder",
        "backorder",
      ]),
    )
    .option("--image <url>", "https address of a picture")
    .option("--more-image <url...>", "https addresses of more pictures; none: remove them")
    .option("--url <url>", "https address of its page")
    .option("--brand <name>", "name of the brand")
    .option("--gtin <digits>", "number under the barcode: EAN, UPC, ISBN-13 or GTIN-14")
    .option("--mpn <text>", "manufacturer's number")
    .option("--sku <text>", "the shop's own stock number")
    .addOption(
      choice(
        "--identifier-exists <word>",
        "no: it has no GTIN, and its brand or MPN is missing, as with handmade goods",
        Object.keys(IDENTIFIER_EXISTS),
      ),
    )
    .option("--category <path>", 'such as "Garden > Flowers"')
    .option("--sale-price <amount>", "lower price; none: end the sale")
    .option("--sale-from <time>", "when the sale begins, such as 2030-05-17T08:00:00Z")
    .option("--sale-until <time>", "when the sale ends")
    .option("--group <id>", "the same for all variants of a product")
    .option("--option <name=value...>", "what distinguishes this variant, such as Size=M")
    .option("--pause", "take it off sale: agents neither find nor buy it")
    .option("--resume", "put it back on sale")
    .option("--json", "print JSON")
    .action((text: string, id: string, flags: SetFlags) => set(terminal, text, id, flags));
}
