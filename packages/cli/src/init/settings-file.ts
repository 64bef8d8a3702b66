import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { CommandError, EXIT } from "../exit.js";

/** Beside the data folder: what `init` was told, for every command that runs in this folder. */
export const SETTINGS_FILE = "gatehouse.env";

type Settings = Readonly<Record<string, string | undefined>>;

const LINE = /^(GATEHOUSE_[A-Z0-9_]+)=(.*)$/;

/** Settings of a file: `NAME=value` lines, and comments. Nothing is quoted or put in. */
function readLines(text: string): Settings {
  const settings: Record<string, string> = {};
  for (const [place, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      const why = `Line ${place + 1} of ${SETTINGS_FILE} is not a setting.`;
      throw new CommandError(why, EXIT.cannotStart, "Write GATEHOUSE_NAME=value, or take it away.");
    }
    settings[name] = value;
  }
  return settings;
}

/** The environment, and below it what the settings file of this folder says. */
export function withSettings(env: Settings): Settings {
  if (!existsSync(SETTINGS_FILE)) return env;
  return { ...readLines(readFileSync(SETTINGS_FILE, "utf8")), ...env };
}

export function writeSettings(settings: Readonly<Record<string, string>>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const head = "# Settings of this installation; variables of the environment go before them.";
  // Kept as it was by somebody else at the same time: theirs.
  writeFileSync(SETTINGS_FILE, `${[head, ...lines].join("\n")}\n`, { mode: 0o600, flag: "wx" });
}
