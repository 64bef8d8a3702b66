/**
 * Asks the service beside it whether it is ready; exits with 0 if so. As itself with its own
 * certificate, or as a proxy would: then 127.0.0.1 must be among GATEHOUSE_TRUST_PROXY.
 */
import http from "node:http";
import https from "node:https";

const ASK_MS_MAX = 4000;
const EVERYWHERE = ["", "0.0.0.0", "::"];
const { GATEHOUSE_HOST = "", GATEHOUSE_PORT, GATEHOUSE_TLS_CERT } = process.env;

const client = GATEHOUSE_TLS_CERT ? https : http;
const request = client.get(
  {
    host: EVERYWHERE.includes(GATEHOUSE_HOST) ? "127.0.0.1" : GATEHOUSE_HOST,
    port: GATEHOUSE_PORT || 8787,
    path: "/readyz",
    headers: GATEHOUSE_TLS_CERT ? {} : { "x-forwarded-proto": "https" },
    timeout: ASK_MS_MAX,
    // The certificate is for the public name; who answers on this port is not in question here.
    rejectUnauthorized: false,
  },
  (response) => {
    let said = "";
    response.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    response.on("end", () => {
      process.stdout.write(`${response.statusCode} ${said}\n`);
      process.exitCode = response.statusCode === 200 ? 0 : 1;
    });
  },
);
request.on("timeout", () => request.destroy(new Error(`no answer within ${ASK_MS_MAX} ms`)));
request.on("error", (error) => {
  process.stdout.write(`${error.message}\n`);
  process.exitCode = 1;
});
