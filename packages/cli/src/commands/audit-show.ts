import {
  type Check,
  fromHex,
  receiptText,
  type ShownRecord,
  verifyShownRecord,
} from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { LOG_ARGUMENT, logPath } from "../audit/log-path.js";
import { hashFast, refuseOtherHosts, trustedKeys, verifyFast } from "../audit/trusted-keys.js";
import { collect } from "../collect.js";
import { CommandError, EXIT } from "../exit.js";
import { keepFile } from "../mandate-file.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";

type Shown = ShownRecord & { readonly chain: string };
const FAST = { hash: hashFast, verify: verifyFast };

interface ShowFlags {
  readonly key?: readonly string[];
  readonly proof?: string;
  readonly json?: boolean;
}

/** The hash is what a proof is compared with, so it is shown where it was checked. */
function checkLine({ id, ok, text }: Check, hash: string): string {
  const shown = id === "hash" && ok ? `${text}: ${hash}` : text;
  return plainText(`${ok ? "✓" : "✗"} ${id.padEnd(9)}  ${shown}`);
}

/** Saves the proof of a verified record, and says how anybody checks it without a token. */
function keepProof(terminal: Terminal, file: string, { entry, proof }: Shown, keys: string): void {
  const hashes = proof.hashes.flatMap((hash) => fromHex(hash) ?? []);
  keepFile(file, receiptText({ ...proof, hashes }));
  terminal.err(
    `The proof is in ${file}. Check it without a token:\n` +
      `gatehouse verify ${file} --keys ${keys} --record ${entry.hash}`,
  );
}

/** `audit show`: one record, and whether it holds. */
export function auditShowCommand(audit: Command, terminal: Terminal): void {
  audit
    .command("show")
    .argument(...LOG_ARGUMENT)
    .argument("<record_id>", "record id from a decision, an order or a receipt")
    .description("show a record, and verify its hash, signature and place in the log")
    .option(
      "--key <source>",
      "audit keys you trust, as for `audit verify`; can be repeated (default: the service's own)",
      collect,
    )
    .option("--proof <file>", "save the proof here, for somebody without a token")
    .option("--json", "print JSON")
    .action(async (text: string, id: string, { key, proof, json }: ShowFlags) => {
      const client = adminClient(terminal);
      const path = await logPath(terminal, text, `records/${encodeURIComponent(id)}`);
      const missing = {
        says: "There is no such record in the site's log.",
        hint: `\`gatehouse audit tail ${text}\` shows the newest records; --json includes their ids.`,
      };
      const shown = await client.callAbout<Shown>(missing, "GET", path);
      const sets = await Promise.all((key ?? [client.address]).map(trustedKeys));
      refuseOtherHosts(sets, [shown.chain]);
      const keys = new Map(sets.flatMap((set) => [...set.keys]));
      const checks = await verifyShownRecord(shown, keys, FAST);
      if (json) terminal.out(plainJson({ ...shown, checks }));
      else {
        const lines = checks.map((check) => checkLine(check, shown.entry.hash));
        terminal.out([plainJson(shown.entry.record), ...lines].join("\n"));
      }
      if (shown.entry.record.record_id !== id) {
        const hint = "Check GATEHOUSE_BASE_URL, then export the day: gatehouse audit export";
        throw new CommandError("The service returned a different record.", EXIT.failed, hint);
      }
      if (checks.every(({ ok }) => ok)) {
        const [source = client.address] = key ?? [];
        if (proof !== undefined) keepProof(terminal, proof, shown, source);
        return;
      }
      const hint = `Export the day and verify it: gatehouse audit export ${text}`;
      throw new CommandError("The record does not verify.", EXIT.failed, hint);
    });
}
