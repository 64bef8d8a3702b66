import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header lines, unfolded; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** Empty if the mail has none. */
  readonly html: string;
  readonly raw: string;
}

/** Undoes quoted-printable; whatever else a mail may be, ours is that or plain. */
function decoded(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8").replaceAll("\r\n", "\n");
}

/** Undoes the encoded words of a header (RFC 2047). */
function decodedHeader(value: string): string {
  const joined = value.replace(/\?= +=\?/g, "?==?");
  return joined.replace(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_, words: string) =>
    decoded(words.replaceAll("_", " ")),
  );
}

/** A part of a mail with its own headers. */
function decodedPart(part: string): string {
  const [head = "", ...rest] = part.trimStart().split("\r\n\r\n");
  const body = rest.join("\r\n\r\n").replace(/\r\n$/, "");
  if (!/base64/i.test(head)) return decoded(body);
  return Buffer.from(body, "base64").toString("utf8").replaceAll("\r\n", "\n");
}

function readMail(raw: string) {
  const [head = "", ...rest] = raw.split("\r\n\r\n");
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = lines.map((line) => {
    const [name = "", ...value] = line.split(":");
    return [name.toLowerCase(), decodedHeader(value.join(":").trim())] as const;
  });
  const body = rest.join("\r\n\r\n");
  const [, boundary] = /boundary="([^"]+)"/.exec(head) ?? [];
  if (boundary === undefined) return { raw, headers, text: decoded(body), html: "" };
  const [text = "", html = ""] = ["text/plain", "text/html"].map((type) => {
    const part = body.split(`--${boundary}`).find((one) => one.includes(`Content-Type: ${type}`));
    return decodedPart(part ?? "");
  });
  return { raw, headers, text, html };
}

/** A real mail server on loopback. `refuse` is the status it answers a recipient with, if any. */
export async function startMailbox(port = 0) {
  const mails: ReceivedMail[] = [];
  const box = { mails, refuse: 0, port: 0, close: () => Promise.resolve() };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo(_address, _session, done) {
      if (box.refuse === 0) return done();
      done(Object.assign(new Error("mail1.internal says no"), { responseCode: box.refuse }));
    },
    onData(stream, session, done) {
      let raw = "";
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        raw += text;
      });
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        mails.push({ from, to: rcptTo.map(({ address }) => address), ...readMail(raw) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  box.port = (server.server.address() as { port: number }).port;
  box.close = () => new Promise((resolve) => server.close(() => resolve()));
  return box;
}
