import { portFault } from "./config/port-fault.js";
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
  const [fault, remedy] = portFault(config, port) ?? [];
  if (fault !== undefined) lines.push(`  note  ${fault}`, `        ${remedy}`);
  return lines;
}
