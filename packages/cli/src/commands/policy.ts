import { type JsonObject, type PolicyFinding, policyFindings } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { findingLines, readPolicyFile } from "../policy-file.js";
import { plainJson, type Terminal } from "../terminal.js";
import { policyPresetCommand, policyTestCommand } from "./policy-drafts.js";

function checkCommand(policy: Command, terminal: Terminal): void {
  policy
    .command("check")
    .argument("<file>", "a policy")
    .description("say what to look at again in a policy, and whether it can be published")
    .option("--json", "print JSON")
    .action((file: string, { json }: { json?: boolean }) => {
      const { policy: read } = readPolicyFile(file);
      const findings = policyFindings(read);
      if (json) terminal.out(plainJson({ findings }));
      else for (const line of findingLines(findings)) terminal.out(line);
      if (findings.some(({ level }) => level === "error")) {
        throw new CommandError("It cannot be published as it is.", EXIT.failed);
      }
      if (!json) terminal.out(`It can be published: ${counted(read.rules.length, "rule")}.`);
    });
}

export function policyCommands(program: Command, terminal: Terminal): void {
  const policy = program.command("policy").description("the rules mandates are decided by");
  policyPresetCommand(policy, terminal);
  checkCommand(policy, terminal);
  policyTestCommand(policy, terminal);

  policy
    .command("publish")
    .argument("<site>", "its domain, key or hash")
    .argument("<file>", "a policy")
    .description("make a policy the one in force")
    .action(async (text: string, file: string) => {
      const { document } = readPolicyFile(file);
      const client = adminClient(terminal);
      const { site_key_hash, domain } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/policy`;
      type Published = { version: number; findings: PolicyFinding[] };
      const { version, findings } = await client.call<Published>("PUT", path, document);
      for (const line of findingLines(findings)) terminal.err(line);
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
