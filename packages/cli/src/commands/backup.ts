import type { RestoreReport } from "@gatehouse/server";
import type { Command } from "commander";
import { counted } from "../counted.js";
import { SETTINGS_FILE } from "../init/settings-file.js";
import { PROGRESS, type ProgressFlags, withProgress } from "../progress.js";
import { plainJson, type Terminal } from "../terminal.js";

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
  return [
    `${counted(files, "file")} of the audit archive ${files === 1 ? "is" : "are"} not in the backup: ${what}`,
  ];
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
  unverified: "Nothing verified this backup.",
  no_newer_list:
    "No checkpoints/revocations.json here is newer than the backup, so what was revoked since is not known.",
};

function restoredLines(report: RestoreReport): string[] {
  const { rows, createdAt, secretsKey, suspended, doubt, revocations, archiveFiles } = report;
  const lines = [`Restored ${counted(rows, "row")} of ${createdAt}.`];
  if (revocations > 0)
    lines.push(`Applied ${counted(revocations, "revocation")} from the lists in checkpoints/.`);
  if (suspended !== undefined && doubt !== undefined) {
    const { tokens, agents, platforms } = suspended;
    lines.push(
      `${DOUBTS[doubt]} ${counted(tokens, "token")} and every console session are void; ` +
        `${counted(agents, "agent")} and ${counted(platforms, "platform")} are suspended.`,
      "Look at each, then run `gatehouse agent approve <site> <agent_id>` or `gatehouse platform admit <site> <domain>`. " +
        "Make new tokens with `gatehouse token create`.",
    );
  }
  lines.push(
    secretsKey === "missing"
      ? "The backup has no secrets key: set GATEHOUSE_SECRETS_KEY to the original before starting."
      : "Start it with `gatehouse serve`; a new admin token is made unless you set one.",
    ...archiveLine(archiveFiles, "put the archive folder in place, then run `gatehouse doctor`."),
    `Settings are not in a backup: bring ${SETTINGS_FILE} or your GATEHOUSE_ variables along.`,
  );
  return lines;
}

export function backupCommands(program: Command, terminal: Terminal): void {
  program
    .command("backup")
    .description("copy this installation, running or not, into one private file")
    .option("--out <file>", "where to write it (a dated name in this folder)")
    .option("--without-secrets-key", "leave the secrets key out; the restore then needs it")
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
      terminal.out(`Wrote ${counted(rows, "row")} of ${counted(tables, "table")} to ${file}`);
      terminal.out(`SHA-256: ${sha256}`);
      terminal.out(
        secrets_key
          ? "It holds the secrets key: whoever has it can sign as your sites. Keep it private."
          : "It does not hold the secrets key: keep that elsewhere, a restore needs it.",
      );
      for (const line of archiveLine(archiveFiles, "copy the archive folder too.")) {
        terminal.out(line);
      }
    });

  program
    .command("restore")
    .argument("<file>", "a file made by `gatehouse backup`")
    .description("fill an empty data folder or database from a backup")
    .option("--secrets-key-file <file>", "the secrets key, to verify the backup and to start with")
    .option("--unverified", "restore without a key to verify with; voids tokens, suspends agents")
    .option("--sha256 <digest>", "the digest `gatehouse backup` printed; --unverified needs it")
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
      for (const line of restoredLines(report)) terminal.out(line);
    });
}
