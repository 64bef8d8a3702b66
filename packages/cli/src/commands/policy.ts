import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, parseJson, readPolicy } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";

/** A policy in a file; what is wrong with it is said by its place. */
function readDocument(file: string): JsonObject {
  let text: Buffer;
  try {
    text = readFileSync(file);
  } catch {
    throw new CommandError(`${file} cannot be read.`, EXIT.failed);
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    const why = parsed.ok ? "it is no object" : parsed.detail;
    throw new CommandError(`${file} is no JSON document: ${why}.`, EXIT.failed);
  }
  const policy = readPolicy(parsed.value);
  if (!policy.ok) throw new CommandError(`${plainText(policy.detail)}.`, EXIT.failed);
  return parsed.value;
}

export function policyCommands(program: Command, terminal: Terminal): void {
  const policy = program.command("policy").description("the rules mandates are decided by");
  policy
    .command("check")
    .argument("<file>", "a policy")
    .description("say whether a policy can be published; nothing is sent")
    .action((file: string) => {
      const { rules } = readDocument(file);
      terminal.out(`It can be published: ${(rules as unknown[]).length} rules.`);
    });

  policy
    .command("publish")
    .argument("<site>", "its domain, key or hash")
    .argument("<file>", "a policy")
    .description("make a policy the one in force")
    .action(async (text: string, file: string) => {
      const document = readDocument(file);
      const client = adminClient(terminal);
      const { site_key_hash, domain } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/policy`;
      const { version } = await client.call<{ version: number }>("PUT", path, document);
      terminal.out(`Version ${version} is in force for ${domain}.`);
    });

  policy
    .command("show")
    .argument("<site>", "its domain, key or hash")
    .description("print the policy in force")
    .action(async (text: string) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/policy`;
      const { document } = await client.call<{ document: JsonObject }>("GET", path);
      terminal.out(plainJson(document));
    });
}
