/**
 * Names of well-known MCP clients in `clientInfo.name`. Records show these names; every other name is a
 * stranger's free choice. Anybody can use them, so they prove nothing.
 */
const KNOWN_CLIENTS: ReadonlySet<string> = new Set([
  "claude-ai",
  "claude-code",
  "openai-mcp",
  "codex-mcp-client",
  "gemini-cli-mcp-client",
  "Visual Studio Code",
  "cursor-vscode",
  "windsurf-client",
  "Cline",
  "Zed",
  "goose",
  "continue-client",
  "mcp-inspector",
  "inspector-client",
  "mcp",
]);

export function isKnownClient(name: string): boolean {
  return KNOWN_CLIENTS.has(name);
}
