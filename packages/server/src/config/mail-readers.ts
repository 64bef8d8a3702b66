import { isIP } from "node:net";
import { parseUrl } from "@gatehouse/protocol";
import type { MailSender, MailServer } from "../infra/mail/mailer.js";
import { isMailAddress } from "../infra/mail/text.js";
import { fail, isLoopback } from "./readers.js";

const SUBMISSION_PORT = 587;
const TLS_PORT = 465;
const HOST_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i;
/** No characters that could end a header or look like a part of the address. */
const SENDER = /^(?:([^<>"\\\p{Cc}\p{Cf}]{1,80}) )?<([^<>]+)>$/u;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Options after a `?` are refused, because some would disable the check of certificates. */
export function mailServer(name: string, value: string): MailServer {
  const wanted = "smtps://user:password@host or smtp://host:port, without a path";
  const url = parseUrl(value);
  const host = url?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "";
  const plain = url?.protocol === "smtp:";
  if (url === undefined || !(plain || url.protocol === "smtps:")) return fail(name, wanted);
  if (isIP(host) === 0 && !HOST_NAME.test(host)) fail(name, wanted);
  if (!["", "/"].includes(url.pathname) || url.search !== "" || url.hash !== "") fail(name, wanted);
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined) return fail(name, wanted);
  if ((user === "") !== (password === "")) fail(name, wanted);
  return Object.freeze({
    host,
    port: Number(url.port) || (plain ? SUBMISSION_PORT : TLS_PORT),
    tls: !plain,
    local: isLoopback(host),
    signIn: user === "" ? undefined : Object.freeze({ user, password }),
  });
}

export function mailSender(name: string, value: string): MailSender {
  const [, label = "", inside = ""] = SENDER.exec(value) ?? [];
  const address = inside === "" ? value : inside;
  if (!isMailAddress(address)) {
    fail(name, "an email address such as gate@example.com, or Gatehouse <gate@example.com>");
  }
  return Object.freeze({ name: label.trim(), address });
}
