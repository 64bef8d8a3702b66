import {
  formatAmount,
  type Money,
  minorUnitDigits,
  POLICY_PRESETS,
  type PolicyFinding,
  type PolicyPreset,
  type PolicyPresetOptions,
  policyPreset,
} from "@gatehouse/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import { adminClient } from "../admin-client.js";
import { choiceArgument } from "../choice.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { findingLines, readPolicyFile } from "../policy-file.js";
import { plainJson, type Terminal, table } from "../terminal.js";

/** As many as the service tries a draft on. */
const DECISIONS_MAX = 1_000;

interface PolicyResult {
  readonly outcome: string;
  readonly rule_id: string | null;
}

type OutcomeCounts = Readonly<Record<"approved" | "escalated" | "rejected", number>>;

interface TestBody {
  readonly findings: readonly PolicyFinding[];
  readonly tested: number;
  readonly changed: readonly {
    readonly evaluated_at: string;
    readonly skill: string;
    readonly amount: Money | null;
    readonly agent_id: string;
    readonly was: PolicyResult;
    readonly would_be: PolicyResult;
  }[];
  readonly summary: { readonly was: OutcomeCounts; readonly would_be: OutcomeCounts };
}

function amountOf(amount: Money | null): string {
  if (amount === null) return "";
  const { currency, minor } = amount;
  // The service may be newer, and know more currencies.
  if (minorUnitDigits(currency) === undefined) return `${minor} ${currency} (minor units)`;
  return `${formatAmount(amount)} ${currency}`;
}

const policyResultText = ({ outcome, rule_id }: PolicyResult) =>
  `${outcome} (${rule_id ?? "default"})`;

function summaryOf({ tested, changed, summary }: TestBody): string {
  if (tested === 0) return "There are no past decisions to test the policy on.";
  const all = counted(tested, "decision");
  if (changed.length === 0) return `None of ${all} would change.`;
  const { was, would_be } = summary;
  const moves = (["approved", "escalated", "rejected"] as const).map(
    (outcome) => `${outcome} ${was[outcome]} → ${would_be[outcome]}`,
  );
  return `${changed.length} of ${all} would change: ${moves.join(", ")}.`;
}

function readLast(text: string): number {
  const last = Number(text);
  if (Number.isInteger(last) && last >= 1 && last <= DECISIONS_MAX) return last;
  throw new InvalidArgumentError(`Use a number from 1 to ${DECISIONS_MAX}.`);
}

/** `policy test`: what a draft would have decided. */
export function policyTestCommand(policy: Command, terminal: Terminal): void {
  policy
    .command("test")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<file>", "file with a policy")
    .description("test a policy on past decisions; changes nothing")
    .addOption(
      new Option("--last <number>", "number of decisions").argParser(readLast).default(100),
    )
    .option("--json", "print JSON")
    .action(async (text: string, file: string, flags: { last: number; json?: boolean }) => {
      const { document } = readPolicyFile(file);
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/policy/test`;
      const body = { policy: document, last: flags.last };
      const tested = await client.call<TestBody>("POST", path, body);
      if (flags.json) return terminal.out(plainJson(tested));
      for (const line of findingLines(tested.findings)) terminal.err(line);
      const rows = tested.changed.map((one) => ({
        evaluated_at: one.evaluated_at,
        skill: one.skill,
        amount: amountOf(one.amount),
        was: policyResultText(one.was),
        would_be: policyResultText(one.would_be),
        agent_id: one.agent_id,
      }));
      // The summary says what became of none.
      if (rows.length > 0) terminal.out(table(rows, ""));
      terminal.out(summaryOf(tested));
    });
}

/** `policy preset`: a policy to start from. */
export function policyPresetCommand(policy: Command, terminal: Terminal): void {
  policy
    .command("preset")
    .addArgument(choiceArgument("<name>", "name of the preset", POLICY_PRESETS))
    .description("print a policy that you can adapt, check and publish")
    .option(
      "--limit <amount>",
      "for automatic_under: amount up to which orders are approved, such as 50.00",
    )
    .option("--currency <code>", "for automatic_under: currency of the amount, such as EUR")
    .option("--timezone <zone>", "your time zone, such as Europe/Berlin", "UTC")
    .option("--json", "print JSON (the output is always JSON)")
    .action((name: PolicyPreset, options: PolicyPresetOptions) => {
      const { limit, currency } = options;
      if (name === "automatic_under" && (limit === undefined || currency === undefined)) {
        const hint = "For example: --limit 50.00 --currency EUR";
        throw new CommandError(`${name} needs --limit and --currency.`, EXIT.usage, hint);
      }
      const preset = policyPreset(name, options);
      if (!preset.ok) {
        const hint = "For example: --limit 50.00 --currency EUR --timezone Europe/Berlin";
        throw new CommandError(`${preset.detail}.`, EXIT.usage, hint);
      }
      terminal.out(plainJson(preset.value));
    });
}
