import type { JsonWebKey } from "node:crypto";

export interface TestAgent {
  readonly jwk: JsonWebKey;
  readonly thumbprint: string;
  /** Headers of a request signed as an agent would. */
  sign(
    url: string,
    options: {
      /** Where it says its keys are. */
      readonly origin: string;
      /** The older form: one string instead of a dictionary. */
      readonly legacy?: boolean;
      readonly createdAt?: number;
      readonly lifeS?: number;
    },
  ): Promise<Record<string, string>>;
}

export function createAgent(): Promise<TestAgent>;

export interface TestDirectory {
  keys: JsonWebKey[];
  status: number;
  /** Where it redirects to. */
  location: string | undefined;
  /** Bytes to answer with, compressed with gzip. */
  packed: Uint8Array | undefined;
  /** How often it was asked. */
  asked: number;
  readonly ca: string;
  /** Name and port. */
  readonly host: string;
  readonly origin: string;
  close(): Promise<void>;
}

export function startDirectory(host: string): Promise<TestDirectory>;
