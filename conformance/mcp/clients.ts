import {
  type ClientOptions,
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** What the tests use of an official client, of whichever line. */
export interface AnyClient {
  getInstructions(): string | undefined;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(params: {
    readonly name: string;
    readonly arguments?: Record<string, unknown>;
  }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const IDENTITY = { name: "official-client", version: "1.0.0" };

async function connectV1(url: string): Promise<AnyClient> {
  const client = new ClientV1(IDENTITY);
  // biome-ignore lint/suspicious/noExplicitAny: its own types disagree under exact optional properties
  await client.connect(new TransportV1(new URL(url)) as any);
  return client as unknown as AnyClient;
}

async function connectV2(url: string, options: ClientOptions): Promise<AnyClient> {
  const client = new ClientV2(IDENTITY, options);
  await client.connect(new TransportV2(new URL(url)));
  return client as unknown as AnyClient;
}

/** The official clients in all the ways they connect, and the revision each then speaks. */
export const OFFICIAL_CLIENTS = [
  { name: "SDK 1.32", revision: "2025-06-18", connect: connectV1 },
  {
    name: "client 2.4 by default",
    revision: "2025-06-18",
    connect: (url: string) => connectV2(url, {}),
  },
  {
    name: "client 2.4 in auto mode",
    revision: "2026-07-28",
    connect: (url: string) => connectV2(url, { versionNegotiation: { mode: "auto" } }),
  },
] as const;
