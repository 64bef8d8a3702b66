import { createHash, createHmac, type Hash, type Hmac, timingSafeEqual } from "node:crypto";
import { open } from "node:fs/promises";
import { createSecrets } from "../infra/secrets/secrets.js";

const WORD = "hmac-sha256 ";
const MAC_HEX_CHARS = 64;
/** An empty gzip member (RFC 1952, 2.3) with a comment: its header, and what follows the comment. */
const MEMBER_OPENING = Buffer.from("1f8b08100000000000ff", "hex").toString("latin1");
const MEMBER_CLOSING = Buffer.from("0003000000000000000000", "hex").toString("latin1");

/**
 * The last bytes of a backup file: an HMAC over every byte before them. It is in the comment of an empty
 * gzip member, so that the whole file is still gzip.
 */
function trailerOf(mac: string): string {
  return `${MEMBER_OPENING}${WORD}${mac}${MEMBER_CLOSING}`;
}

const TRAILER_BYTES = trailerOf("0".repeat(MAC_HEX_CHARS)).length;

/** The HMAC in a trailer; undefined if the bytes are not a trailer. */
function statedMac(trailer: string): string | undefined {
  const from = MEMBER_OPENING.length + WORD.length;
  const mac = trailer.slice(from, from + MAC_HEX_CHARS);
  return /^[0-9a-f]{64}$/.test(mac) && trailer === trailerOf(mac) ? mac : undefined;
}

/** Digests of a file's bytes, computed while it is read or written. */
export interface FileDigests {
  /** Of the whole file, as `sha256sum` prints it. */
  readonly sha256: string;
  /** Of the bytes before the trailer, in hex; undefined without a key. */
  readonly mac: string | undefined;
}

/** Computes the digests of a backup file. The HMAC key is derived from the installation's secrets key. */
export class FileHasher {
  private readonly hash: Hash = createHash("sha256");
  private readonly hmac: Hmac | undefined;

  constructor(secretsKey: Uint8Array | undefined) {
    this.hmac =
      secretsKey && createHmac("sha256", createSecrets(secretsKey).keyFor("backup mac v1"));
  }

  add(bytes: Uint8Array): void {
    this.hash.update(bytes);
    this.hmac?.update(bytes);
  }

  /** The digests of everything added, followed by the trailer. */
  end(trailer: string): FileDigests {
    this.hash.update(trailer, "latin1");
    return { sha256: this.hash.digest("hex"), mac: this.hmac?.digest("hex") };
  }

  /** Writes the trailer that belongs to everything added; needs the key. */
  seal(): { readonly trailer: Buffer; readonly sha256: string } {
    if (this.hmac === undefined) throw new Error("a backup is sealed with the secrets key");
    const trailer = Buffer.from(trailerOf(this.hmac.digest("hex")), "latin1");
    return { trailer, sha256: this.hash.update(trailer).digest("hex") };
  }
}

/** Where the rows of a backup file end, and the trailer after them. */
export interface BackupEnds {
  readonly gzipBytes: number;
  /** Its bytes, as Latin-1; empty if there is none, as in files of the first format. */
  readonly trailer: string;
}

export async function readEnds(path: string): Promise<BackupEnds> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(TRAILER_BYTES, size));
    await file.read(bytes, 0, bytes.length, size - bytes.length);
    const trailer = bytes.toString("latin1");
    if (statedMac(trailer) === undefined) return { gzipBytes: size, trailer: "" };
    return { gzipBytes: size - TRAILER_BYTES, trailer };
  } finally {
    await file.close();
  }
}

/** Whether a trailer is the HMAC of the bytes before it. */
export function macHolds(trailer: string, mac: string): boolean {
  const stated = statedMac(trailer);
  return stated !== undefined && timingSafeEqual(Buffer.from(stated), Buffer.from(mac));
}
