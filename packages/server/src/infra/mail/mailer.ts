import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "../clock.js";
import { type MailWords, mailHtml } from "./html.js";

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the start; otherwise STARTTLS. */
  readonly tls: boolean;
  /** On this machine, where nobody can eavesdrop and certificates do not match. */
  readonly local: boolean;
  readonly signIn: { readonly user: string; readonly password: string } | undefined;
}

export interface MailSender {
  readonly name: string;
  readonly address: string;
}

export interface MailSettings {
  readonly server: MailServer;
  readonly from: MailSender;
}

/** A text to one person. Mail readers that can show it also get it as HTML. */
export interface Mail extends MailWords {
  /** The same for every try, so that a mailbox can recognize a duplicate. */
  readonly messageId: string;
  readonly to: string;
  /** Milliseconds; the date in the mail, whenever it is delivered. */
  readonly writtenAt: number;
}

/** `gone`: the mail server will never accept it. */
export type MailFault = "gone" | "not_delivered";

const SEND_MS_MAX = 30_000;
const CONNECT_MS_MAX = 10_000;
const ANSWER_MS_MAX = 15_000;

/** Loaded with the first mail, because most processes never send one. */
async function transportOf({ server: { host, port, tls, local, signIn } }: MailSettings) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: tls,
    ...(signIn === undefined ? {} : { auth: { user: signIn.user, pass: signIn.password } }),
    // A password is never sent over an unencrypted connection.
    ...(local && !tls ? { ignoreTLS: true } : { requireTLS: !tls && signIn !== undefined }),
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    dnsTimeout: CONNECT_MS_MAX,
    socketTimeout: ANSWER_MS_MAX,
    // A message is a text: nothing in it may name a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Our own message, because the mail server's may contain names of its network. */
function faultOf(error: { readonly code?: unknown; readonly responseCode?: unknown }) {
  const { code, responseCode } = error;
  const codeText = typeof responseCode === "number" ? ` (${responseCode})` : "";
  if (code === "EENVELOPE" && Number(responseCode) >= 500) {
    return refuse("gone", `the mail server does not accept email for this address${codeText}`);
  }
  if (code === "EAUTH") {
    return refuse("not_delivered", `the mail server refused the user or the password${codeText}`);
  }
  if (codeText !== "")
    return refuse("not_delivered", `the mail server refused it for now${codeText}`);
  const word = typeof code === "string" ? ` (${code})` : "";
  return refuse("not_delivered", `the mail server could not be reached${word}`);
}

/** Sends texts through the installation's mail server. */
export class Mailer {
  private readonly settings: MailSettings | undefined;
  private transport: ReturnType<typeof transportOf> | undefined;
  private readonly clock: Clock;
  private readonly baseUrl: string;
  /** The part of message ids after the `@`. */
  private readonly host: string;

  constructor(settings: MailSettings | undefined, baseUrl: string, clock: Clock) {
    this.settings = settings;
    this.clock = clock;
    this.baseUrl = baseUrl;
    this.host = new URL(baseUrl).hostname.replace(/^\[.*\]$/, "localhost");
  }

  /** Whether a mail server is configured. */
  get configured(): boolean {
    return this.settings !== undefined;
  }

  async send(mail: Mail): Promise<Result<true, MailFault>> {
    const { settings } = this;
    if (settings === undefined) {
      return refuse("not_delivered", "this installation has no mail server (GATEHOUSE_SMTP_URL)");
    }
    const { from } = settings;
    this.transport ??= transportOf(settings);
    const sending = (await this.transport).sendMail({
      from: { ...from },
      to: { name: "", address: mail.to },
      envelope: { from: from.address, to: [mail.to] },
      subject: mail.subject,
      text: mail.text,
      html: mailHtml(mail, this.baseUrl),
      // The same bytes at every try.
      baseBoundary: mail.messageId,
      messageId: `<${mail.messageId}@${this.host}>`,
      date: new Date(mail.writtenAt),
      // Out-of-office programs do not answer what a program wrote.
      headers: { "auto-submitted": "auto-generated" },
    });
    return new Promise((resolve) => {
      const cancel = this.clock.after(SEND_MS_MAX, () =>
        resolve(refuse("not_delivered", "the mail server did not answer in time")),
      );
      sending
        .then(
          () => resolve(ok(true)),
          (error) => resolve(faultOf(error)),
        )
        .finally(cancel);
    });
  }
}
