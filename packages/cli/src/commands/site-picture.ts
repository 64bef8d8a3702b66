import { createReadStream } from "node:fs";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite, type SiteBody } from "../find-site.js";
import { PICTURE_FILE, pictureType } from "../picture-file.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";

interface Flags {
  readonly remove?: true;
  readonly json?: true;
}

async function setPicture(
  terminal: Terminal,
  text: string,
  file: string | undefined,
  { remove, json }: Flags,
): Promise<void> {
  if ((file === undefined) === (remove === undefined)) {
    const hint = "Name a file to upload, or use --remove.";
    throw new CommandError("Use either a file or --remove.", EXIT.usage, hint);
  }
  const type = file === undefined ? "" : pictureType(file);
  const client = adminClient(terminal);
  const { site_key_hash, domain } = await findSite(client, text);
  const path = `/v1/admin/sites/${site_key_hash}/picture`;
  const saved =
    file === undefined
      ? await client.call<SiteBody>("DELETE", path)
      : await client.upload<SiteBody>("PUT", path, { type, body: createReadStream(file) });
  if (json) return terminal.out(plainJson(saved));
  const { picture_url } = saved;
  const state = picture_url === null ? "no picture." : `a new picture: ${picture_url}`;
  terminal.out(plainText(`${domain} has ${state}`));
}

export function sitePictureCommand(site: Command, terminal: Terminal): void {
  site
    .command("picture")
    .argument("<site>", "domain, site key or site key hash")
    .argument("[file]", PICTURE_FILE)
    .description("upload the picture that the public page of the shop shows")
    .option("--remove", "remove the picture")
    .option("--json", "print JSON")
    .action((text: string, file: string | undefined, flags: Flags) =>
      setPicture(terminal, text, file, flags),
    );
}
