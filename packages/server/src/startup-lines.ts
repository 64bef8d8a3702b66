import type { Context } from "./context.js";
import { VERSION } from "./version.js";

/** Printed when the service is ready: where it listens, and where its data is. */
export function startupLines(context: Context, port: number): string[] {
  const { config, operatorToken } = context;
  const scheme = config.mode === "development" && config.tls === undefined ? "http" : "https";
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const lines = [
    `Gatehouse ${VERSION} is ready (${config.mode}).`,
    `  listening on  ${config.tls === undefined ? "http" : "https"}://${host}:${port}`,
    `  public address  ${config.baseUrl}`,
    `  console  ${config.baseUrl}/console (sign in: gatehouse token link)`,
    `  data  ${config.dataDir}${config.databaseUrl === undefined ? " (SQLite)" : " + PostgreSQL"}`,
  ];
  if (operatorToken.created) {
    lines.push(
      `  operator token (shown once, stored in ${operatorToken.file})`,
      `    ${operatorToken.token}`,
    );
  } else {
    const where = operatorToken.file ?? "GATEHOUSE_ADMIN_TOKEN";
    lines.push(`  operator token  stored in ${where}`);
  }
  if (scheme === "https" && config.tls === undefined && config.trustProxy.length === 0) {
    lines.push(
      "  note  production does not use plain HTTP. Set GATEHOUSE_TLS_CERT and _KEY, or",
      "        GATEHOUSE_TRUST_PROXY for a proxy with HTTPS, or GATEHOUSE_MODE=development.",
    );
  }
  const { protocol, port: named } = new URL(config.baseUrl);
  // With HTTPS a proxy may listen on the public port.
  if (protocol === "http:" && Number(named === "" ? 80 : named) !== port) {
    lines.push(
      "  note  GATEHOUSE_BASE_URL has another port than the service listens on, so commands and agents",
      "        cannot reach it. Change GATEHOUSE_BASE_URL or GATEHOUSE_PORT.",
    );
  }
  return lines;
}
