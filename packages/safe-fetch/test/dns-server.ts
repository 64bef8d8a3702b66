import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";

type RecordType = "A" | "AAAA" | "TXT" | "CNAME";

/** What the server says to one query. Addresses of the other family are left out by itself. */
export type DnsAnswer =
  | { readonly addresses: readonly string[] }
  | { readonly cname: string }
  | { readonly txt: readonly (readonly string[])[] }
  | "nxdomain"
  | "servfail"
  | "silence";

/** `nth` counts the queries for this name and type, from 1: answers may change between them. */
type Answering = (name: string, type: RecordType, nth: number) => DnsAnswer;

export interface DnsServer {
  /** As a resolver wants it: `127.0.0.1:port`. */
  readonly server: string;
  /** Every query seen, as `A example.com`. */
  readonly queries: string[];
  close(): Promise<void>;
}

const TYPES: Readonly<Record<RecordType, number>> = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 };
const CLASS_IN = 1;
const TTL_S = 300;
const HEADER_BYTES = 12;
const RESPONSE_FLAGS = 0x8180;
const RCODE = { servfail: 2, nxdomain: 3 };

interface Question {
  readonly name: string;
  readonly type: RecordType | undefined;
  /** The question as it came, to be echoed. */
  readonly bytes: Buffer;
}

function readQuestion(packet: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = packet.readUInt8(at);
    at += 1;
    if (length === 0) break;
    labels.push(packet.toString("latin1", at, at + length));
    at += length;
  }
  const code = packet.readUInt16BE(at);
  const type = (Object.keys(TYPES) as RecordType[]).find((key) => TYPES[key] === code);
  const bytes = packet.subarray(HEADER_BYTES, at + 4);
  return { name: labels.join(".").toLowerCase(), type, bytes };
}

function lengthPrefixed(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1")]);
}

function nameBytes(name: string): Buffer {
  return Buffer.concat([...name.split(".").map(lengthPrefixed), Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  // The URL parser writes every form in hexadecimal groups, embedded IPv4 included.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  const hex = [...left, ...zeros, ...right].map((group) => group.padStart(4, "0"));
  return Buffer.from(hex.join(""), "hex");
}

function record(name: string, type: RecordType, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[type], 0);
  fixed.writeUInt16BE(CLASS_IN, 2);
  fixed.writeUInt32BE(TTL_S, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fixed, data]);
}

/** The records of an answer; an alias brings those of what it points to, as name servers do. */
function records(
  name: string,
  type: RecordType,
  answer: DnsAnswer,
  answering: Answering,
): Buffer[] {
  if (typeof answer === "string") return [];
  if ("cname" in answer) {
    const alias = record(name, "CNAME", nameBytes(answer.cname));
    const next = answering(answer.cname, type, 1);
    return [alias, ...records(answer.cname, type, next, answering)];
  }
  if ("txt" in answer) {
    if (type !== "TXT") return [];
    return answer.txt.map((parts) => record(name, type, Buffer.concat(parts.map(lengthPrefixed))));
  }
  if (type !== "A" && type !== "AAAA") return [];
  const family = type === "A" ? 4 : 6;
  return answer.addresses
    .filter((address) => isIP(address) === family)
    .map((address) => record(name, type, addressBytes(address)));
}

function response(query: Buffer, bytes: Buffer, rcode: number, answers: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(RESPONSE_FLAGS | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  return Buffer.concat([header, bytes, ...answers]);
}

/** A real name server on loopback that says whatever the test tells it to. */
export async function startDnsServer(answering: Answering): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const queries: string[] = [];
  socket.on("message", (packet, from) => {
    const { name, type, bytes } = readQuestion(packet);
    if (type === undefined) return;
    const query = `${type} ${name}`;
    queries.push(query);
    const answer = answering(name, type, queries.filter((seen) => seen === query).length);
    if (answer === "silence") return;
    const rcode = typeof answer === "string" ? RCODE[answer] : 0;
    const reply = response(packet, bytes, rcode, records(name, type, answer, answering));
    socket.send(reply, from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    server: `127.0.0.1:${socket.address().port}`,
    queries,
    close: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}
