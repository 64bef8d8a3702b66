import { createPrivateKey, X509Certificate } from "node:crypto";
import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.js";
import { portFault } from "../config/port-fault.js";
import { OPERATOR_TOKEN_FILE } from "../domain/access/operator-token.js";
import { readPrivateFile, readTextFile } from "../infra/files/private-file.js";
import { DAY_MS } from "../infra/time.js";
import type { Finding } from "./finding.js";

const NODE_MIN = [20, 19] as const;
const CERTIFICATE_WARN_MS = 14 * DAY_MS;
const OTHERS = 0o077;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  return enough
    ? { part: "Node.js", verdict: "good", message: version }
    : {
        part: "Node.js",
        verdict: "failure",
        message: `${version} is too old: install 20.19 or later`,
      };
}

export function checkConfiguration(config: Config): Finding {
  const part = "configuration";
  const message = `${config.mode}, ${config.baseUrl}`;
  // Port 0 means any free port, which only the service knows.
  const fault = config.port === 0 ? undefined : portFault(config, config.port);
  return fault === undefined
    ? { part, verdict: "good", message }
    : { part, verdict: "warning", message: `${message}. ${fault.join(" ")}` };
}

export function checkTransport(config: Config, now: number): Finding {
  if (config.tls !== undefined) return checkCertificate(config.tls, now);
  if (config.mode === "development") {
    return {
      part: "transport",
      verdict: "good",
      message: "plain HTTP, only on this machine (development)",
    };
  }
  if (config.trustProxy.length > 0) {
    const message = `HTTPS through a proxy at ${config.trustProxy.join(", ")}`;
    return { part: "transport", verdict: "good", message };
  }
  const message =
    "in production, set TLS files or GATEHOUSE_TRUST_PROXY; otherwise every answer is https_required";
  return { part: "transport", verdict: "warning", message };
}

function checkCertificate(tls: NonNullable<Config["tls"]>, now: number): Finding {
  const certificate = new X509Certificate(readTextFile(tls.certFile, "The TLS certificate"));
  const key = createPrivateKey(readTextFile(tls.keyFile, "The TLS key"));
  const part = "transport";
  if (!certificate.checkPrivateKey(key)) {
    return { part, verdict: "failure", message: "the TLS key does not belong to the certificate" };
  }
  const left = Date.parse(certificate.validTo) - now;
  if (left <= 0)
    return { part, verdict: "failure", message: "the TLS certificate has expired: renew it" };
  const message = `HTTPS, certificate valid until ${certificate.validTo}`;
  if (left >= CERTIFICATE_WARN_MS) return { part, verdict: "good", message };
  const days = Math.floor(left / DAY_MS);
  const soon = days === 0 ? "within a day" : days === 1 ? "in 1 day" : `in ${days} days`;
  return { part, verdict: "warning", message: `${message}. It expires ${soon}: renew it` };
}

export function checkDataDir(config: Config): Finding {
  const part = "data folder";
  const stats = statSync(config.dataDir, { throwIfNoEntry: false });
  if (stats === undefined) {
    return { part, verdict: "failure", message: `${config.dataDir} does not exist` };
  }
  accessSync(config.dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (process.platform !== "win32" && (stats.mode & OTHERS) !== 0) {
    const message = `${config.dataDir} is open to other users: run \`chmod 700 ${config.dataDir}\``;
    return { part, verdict: "warning", message };
  }
  return { part, verdict: "good", message: config.dataDir };
}

export function checkOperatorToken(config: Config): Finding {
  const part = "operator token";
  if (config.adminToken !== undefined) {
    return { part, verdict: "good", message: "set by GATEHOUSE_ADMIN_TOKEN" };
  }
  const file = join(config.dataDir, OPERATOR_TOKEN_FILE);
  const kept = readPrivateFile(file, "The operator token");
  if (kept === undefined) {
    return {
      part,
      verdict: "good",
      message: "none yet: the next start creates one and shows it once",
    };
  }
  return { part, verdict: "good", message: `in ${file}` };
}
