import { createReadStream } from "node:fs";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { findSite } from "../find-site.js";
import { queryOf } from "../list-query.js";
import { PICTURE_FILE, pictureType } from "../picture-file.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";

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
  const type = pictureType(file);
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
    .argument("<file>", PICTURE_FILE)
    .description("upload the picture of a product")
    .option("--json", "print JSON")
    .action((text: string, id: string, file: string, { json }: { json?: boolean }) =>
      upload(terminal, { text, id, file }, json === true),
    );
}
