import { type JsonObject, type PolicyFinding, policyFindings } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { findingLines, readPolicyFile } from "../policy-file.js";
import { plainJson, type Terminal, table } from "../terminal.js";
import { policyPresetCommand, policyTestCommand } from "./policy-drafts.js";

function checkCommand(policy: Command, terminal: Terminal): void {
  policy
    .command("check")
    .argument("<file>", "file with a policy")
    .description("check a policy for problems, and whether it can be published")
    .option("--json", "print JSON")
    .action((file: string, { json }: { json?: boolean }) => {
      const { policy: read } = readPolicyFile(file);
      const findings = policyFindings(read);
      if (json) terminal.out(plainJson({ findings }));
      else for (const line of findingLines(findings)) terminal.out(line);
      if (findings.some(({ level }) => level === "error")) {
        const hint = `Fix the errors marked in ${file}, then check again.`;
        throw new CommandError("The policy cannot be published.", EXIT.failed, hint);
      }
      if (!json)
        terminal.out(`The policy can be published: ${counted(read.rules.length, "rule")}.`);
    });
}

interface VersionItem {
  readonly version: number;
  readonly digest: string;
  readonly published_at: string;
}

/** What is in force, and what was before it. */
function showCommands(policy: Command, terminal: Terminal): void {
  policy
    .command("show")
    .argument("<site>", "domain, site key or site key hash")
    .description("print the current policy, or an earlier version")
    .option("--version <number>", "version number from `policy history`")
    .option("--json", "print JSON (the output is always JSON)")
    .action(async (text: string, { version }: { version?: string }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/policy`;
      type Shown = { readonly document: JsonObject };
      const { document } =
        version === undefined
          ? await client.call<Shown>("GET", path)
          : await client.callAbout<Shown>(
              {
                says: `There is no version ${version}.`,
                hint: `\`gatehouse policy history ${text}\` lists the versions.`,
              },
              "GET",
              `${path}/versions/${encodeURIComponent(version)}`,
            );
      terminal.out(plainJson(document));
    });

  policy
    .command("history")
    .argument("<site>", "domain, site key or site key hash")
    .description("list the versions of the policy, newest first; the newest is in force")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: { json?: boolean }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/policy/versions?limit=200`;
      const items: VersionItem[] = [];
      for await (const one of client.pages<VersionItem>(path)) items.push(one);
      if (json) return terminal.out(plainJson({ items }));
      const rows = items.map(({ version, published_at, digest }) => ({
        version: String(version),
        published_at,
        digest,
      }));
      const none = "No policy yet. Start from a preset: gatehouse policy preset ask_always";
      terminal.out(table(rows, none));
    });
}

export function policyCommands(program: Command, terminal: Terminal): void {
  const policy = program.command("policy").description("the rules that decide mandates");
  policyPresetCommand(policy, terminal);
  checkCommand(policy, terminal);
  policyTestCommand(policy, terminal);

  policy
    .command("publish")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<file>", "file with a policy")
    .description("publish a policy; it is in force immediately")
    .option("--json", "print JSON")
    .action(async (text: string, file: string, { json }: { json?: boolean }) => {
      const { document } = readPolicyFile(file);
      const client = adminClient(terminal);
      const { site_key_hash, domain } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/policy`;
      type Published = { version: number; findings: PolicyFinding[] };
      const published = await client.call<Published>("PUT", path, document);
      if (json) return terminal.out(plainJson(published));
      const { version, findings } = published;
      for (const line of findingLines(findings)) terminal.err(line);
      terminal.out(`Version ${version} is now in force for ${domain}.`);
    });

  showCommands(policy, terminal);
}
