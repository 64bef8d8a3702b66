import { closeSync, constants, fstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { CommandError, EXIT } from "../exit.js";

/** Beside the data folder: what `init` was told, for every command that runs in this folder. */
export const SETTINGS_FILE = "gatehouse.env";

type Settings = Readonly<Record<string, string | undefined>>;

/** Longest settings file that is read, in bytes. */
const BYTES_MAX = 64 * 1024;
/** May be written by its group, and by anybody. */
const BY_GROUP = 0o020;
const BY_ANYBODY = 0o002;
/** A value may stand in quotes, as shells and service managers want it where it holds a space. */
const LINE = /^(GATEHOUSE_[A-Z0-9_]+)=(?:"([^"]*)"|'([^']*)'|([^"'].*|))$/;

/** Why a file of this folder is not believed: it says where tokens are sent and data is kept. */
function faultOf(descriptor: number): string | undefined {
  const stats = fstatSync(descriptor);
  const { uid, gid, mode, size } = stats;
  // The group of one's own name has nobody else in it, where people's files are writable by theirs.
  const others = gid === process.getgid?.() ? BY_ANYBODY : BY_ANYBODY | BY_GROUP;
  const own = process.getuid?.();
  if (!stats.isFile()) return "it is not a regular file";
  if (own !== undefined && uid !== own && uid !== 0) return "it belongs to another user";
  if (own !== undefined && (mode & others) !== 0) return "other users can write to it";
  return size > BYTES_MAX ? `it is larger than ${BYTES_MAX} bytes` : undefined;
}

/** The text of the settings file; undefined where there is none. */
function readText(): string | undefined {
  let descriptor: number | undefined;
  try {
    // Not waited for: what stands there may be a pipe.
    descriptor = openSync(SETTINGS_FILE, constants.O_RDONLY | constants.O_NONBLOCK);
    const fault = faultOf(descriptor);
    if (fault === undefined) return readFileSync(descriptor, "utf8");
    const hint =
      "Make sure that you own it and that only you can write to it, or use another folder.";
    throw new CommandError(
      `${SETTINGS_FILE} in this folder was not read: ${fault}.`,
      EXIT.cannotStart,
      hint,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === undefined || error instanceof CommandError) throw error;
    const hint = "Run the command as the user who owns the file, or in another folder.";
    throw new CommandError(`${SETTINGS_FILE} cannot be read (${code}).`, EXIT.cannotStart, hint);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Settings of a file: `NAME=value` lines, and comments. Nothing is put in. */
function readLines(text: string): Settings {
  const settings: Record<string, string> = {};
  for (const [place, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, double, single, bare] = LINE.exec(line) ?? [];
    const value = double ?? single ?? bare;
    if (name === undefined || value === undefined) {
      const why = `Line ${place + 1} of ${SETTINGS_FILE} is not a setting.`;
      throw new CommandError(
        why,
        EXIT.cannotStart,
        "Write GATEHOUSE_NAME=value, or remove the line.",
      );
    }
    settings[name] = value;
  }
  return settings;
}

/** The environment, and below it what the settings file of this folder says. */
export function withSettings(env: Settings): Settings {
  const text = readText();
  return text === undefined ? env : { ...readLines(text), ...env };
}

/** The settings of this folder's file, for a service to say: those in use, and those that are overridden. */
export function settingsHere(env: Settings) {
  const settings = Object.entries(readLines(readText() ?? ""));
  const named = (inUse: boolean) =>
    settings.flatMap(([name, value]) => ((env[name] === value) === inUse ? [name] : []));
  return { used: named(true), overridden: named(false) };
}

export function writeSettings(settings: Readonly<Record<string, string>>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const head = "# Settings of this installation. Environment variables override them.";
  // Kept as it was by somebody else at the same time: theirs.
  writeFileSync(SETTINGS_FILE, `${[head, ...lines].join("\n")}\n`, { mode: 0o600, flag: "wx" });
}
