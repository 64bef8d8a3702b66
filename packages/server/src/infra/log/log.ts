import pino from "pino";
import type { LogLevel } from "../../config/variables.js";
import { redact } from "./redact.js";

/** One JSON line per event, on standard error; standard output is for people. */
export interface Log {
  isLevelEnabled(level: LogLevel): boolean;
  debug(facts: Record<string, unknown>, event: string): void;
  info(facts: Record<string, unknown>, event: string): void;
  warn(facts: Record<string, unknown>, event: string): void;
  error(facts: Record<string, unknown>, event: string): void;
}

export function createLog(
  level: LogLevel,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "event",
      formatters: {
        level: (label) => ({ level: label }),
        log: (facts) => redact(facts) as Record<string, unknown>,
      },
    },
    { write },
  );
}
