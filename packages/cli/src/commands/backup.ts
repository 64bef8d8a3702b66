import type { RestoreReport } from "@gatehouse/server";
import type { Command } from "commander";
import { runnable } from "../command-name.js";
import { counted } from "../counted.js";
import { SETTINGS_FILE } from "../init/settings-file.js";
import { PROGRESS, type ProgressFlags, withProgress } from "../progress.js";
import { plainJson, type Terminal } from "../terminal.js";

type Suspended = NonNullable<RestoreReport["suspended"]>;

interface BackupFlags extends ProgressFlags {
  out?: string;
  withoutSecretsKey?: boolean;
  json?: boolean;
}

interface RestoreFlags extends ProgressFlags {
  secretsKeyFile?: string;
  unverified?: boolean;
  sha256?: string;
  json?: boolean;
}

/** Archived days are files of their own: only a copy of their folder brings them back. */
function archiveLine(files: number, what: string): string[] {
  if (files === 0) return [];
  return [`The backup does not contain ${counted(files, "file")} of the audit archive: ${what}`];
}

function restoredJson(report: RestoreReport) {
  return {
    rows: report.rows,
    created_at: report.createdAt,
    secrets_key: report.secretsKey,
    verified: report.verified,
    revocations: report.revocations,
    doubt: report.doubt ?? null,
    suspended: report.suspended ?? null,
    archive_files: report.archiveFiles,
  };
}

const DOUBTS: Readonly<Record<NonNullable<RestoreReport["doubt"]>, string>> = {
  unverified: "This backup was not verified.",
  no_newer_list:
    "There is no checkpoints/revocations.json newer than the backup, so later revocations are unknown. " +
    "If the old service still exists, stop it, copy its checkpoints/ again and restore into another empty folder.",
};

/** What no longer works after a restore that could not know what was revoked, and how to get it back. */
function suspendedLines({ agents, platforms }: Suspended): string[] {
  const lines = [
    "Every token, passkey, platform credential and console session is no longer valid. " +
      "Create new tokens with `gatehouse token create`. Give people a new link with `gatehouse person link`.",
  ];
  if (agents > 0) {
    const advice = "Check each of them, then run `gatehouse agent approve <site> <agent_id>`.";
    lines.push(`Suspended: ${counted(agents, "agent")}. ${advice}`);
  }
  if (platforms > 0) {
    const advice = "Check each of them, then run `gatehouse platform admit <site> <domain>`.";
    lines.push(`Suspended: ${counted(platforms, "platform")}. ${advice}`);
  }
  return lines;
}

function restoredLines(report: RestoreReport): string[] {
  const { rows, createdAt, secretsKey, suspended, doubt, revocations, archiveFiles } = report;
  const lines = [`Restored ${counted(rows, "row")} from the backup of ${createdAt}.`];
  if (revocations > 0)
    lines.push(`Applied ${counted(revocations, "revocation")} from the lists in checkpoints/.`);
  if (suspended !== undefined && doubt !== undefined) {
    lines.push(DOUBTS[doubt], ...suspendedLines(suspended));
  }
  lines.push(
    secretsKey === "missing"
      ? "The backup has no secrets key. Set GATEHOUSE_SECRETS_KEY to the original key before you start the service."
      : "Start the service with `gatehouse serve`. It creates a new operator token unless you set one.",
    ...archiveLine(archiveFiles, "restore the archive folder, then run `gatehouse doctor`."),
    `A backup does not contain settings. Copy ${SETTINGS_FILE} or your GATEHOUSE_ variables too.`,
  );
  return lines;
}

export function backupCommands(program: Command, terminal: Terminal): void {
  program
    .command("backup")
    .description("back up this installation to one private file; it may be running")
    .option("--out <file>", "file to write (default: a name with the date, in this folder)")
    .option("--without-secrets-key", "leave out the secrets key; you then need it to restore")
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action(async ({ out, withoutSecretsKey, progress, json }: BackupFlags) => {
      const { backup } = await import("@gatehouse/server");
      const report = await withProgress(terminal, { progress }, (show) =>
        backup(terminal.env, {
          out,
          withoutSecretsKey,
          onRows: (done) => show({ unit: "rows", done }),
        }),
      );
      const { file, rows, tables, secretsKey: secrets_key, sha256, archiveFiles } = report;
      const shown = { file, rows, tables, secrets_key, sha256, archive_files: archiveFiles };
      if (json) return terminal.out(plainJson(shown));
      terminal.out(`Wrote ${counted(rows, "row")} from ${counted(tables, "table")} to ${file}`);
      terminal.out(`SHA-256: ${sha256}`);
      terminal.out(
        secrets_key
          ? "The file contains the secrets key. Anyone who has it can sign as your sites: keep it private."
          : "The file does not contain the secrets key. Keep the key elsewhere: you need it to restore.",
      );
      for (const line of archiveLine(archiveFiles, "copy the archive folder too.")) {
        terminal.out(line);
      }
    });

  program
    .command("restore")
    .argument("<file>", "file from `gatehouse backup`")
    .description("restore a backup into an empty data folder or database")
    .option(
      "--secrets-key-file <file>",
      "file with the secrets key, to verify the backup and to use from then on",
    )
    .option("--unverified", "restore without verifying; revokes all tokens and suspends all agents")
    .option("--sha256 <digest>", "digest from `gatehouse backup`; required with --unverified")
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action(async (file: string, { json, progress, ...proof }: RestoreFlags) => {
      const { restore } = await import("@gatehouse/server");
      const report = await withProgress(terminal, { progress }, (show) =>
        restore(terminal.env, file, {
          ...proof,
          onChecked: (done) => show({ unit: "rows checked", done }),
          onRows: (done, total) => show({ unit: "rows written", done, total }),
        }),
      );
      if (json) return terminal.out(plainJson(restoredJson(report)));
      for (const line of restoredLines(report)) terminal.out(runnable(line));
    });
}
