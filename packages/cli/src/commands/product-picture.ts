import { createReadStream, statSync } from "node:fs";
import { extname } from "node:path";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { queryOf } from "../list-query.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";

/** What a file is sent as. The service decides by its bytes what it is. */
const TYPES: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
};

interface PictureArguments {
  readonly text: string;
  readonly id: string;
  readonly file: string;
}

async function upload(
  terminal: Terminal,
  { text, id, file }: PictureArguments,
  asJson: boolean,
): Promise<void> {
  const type = TYPES[extname(file).toLowerCase()];
  if (type === undefined) {
    const hint = "Use a file whose name ends in .jpg, .png or .webp.";
    throw new CommandError(`${file} is not a picture by its name.`, EXIT.usage, hint);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new CommandError(`${file} does not exist.`, EXIT.failed, "Check the path of the file.");
  }
  const client = adminClient(terminal);
  const { site_key_hash, domain } = await findSite(client, text);
  const path = `/v1/admin/sites/${site_key_hash}/products/picture${queryOf({ id })}`;
  const body = createReadStream(file);
  const saved = await client.upload<{ readonly image_url: string }>("PUT", path, { type, body });
  if (asJson) return terminal.out(plainJson(saved));
  terminal.out(`${plainText(id)} at ${domain} has a new picture: ${saved.image_url}`);
}

export function productPictureCommand(product: Command, terminal: Terminal): void {
  product
    .command("picture")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<id>", "id from `product list`")
    .argument("<file>", "JPEG, PNG or WebP file of up to 5 MB and 25 megapixels")
    .description("upload the picture of a product")
    .option("--json", "print JSON")
    .action((text: string, id: string, file: string, { json }: { json?: boolean }) =>
      upload(terminal, { text, id, file }, json === true),
    );
}
