import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** CBOR of the few shapes that WebAuthn needs (RFC 8949, section 3). */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
type Cbor = number | string | Buffer | Map<number | string, Cbor>;
function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") {
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const parts = [...value].flatMap(([key, member]) => [cbor(key), cbor(member)]);
  return Buffer.concat([head(5, value.size), ...parts]);
}

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest();
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** A passkey in software (WebAuthn Level 3, section 6): ES256, no attestation. */
export class SoftwarePasskey {
  readonly id = randomBytes(16).toString("base64url");
  private readonly keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  private readonly origin: string;
  counter = 0;

  constructor(origin: string) {
    this.origin = origin;
  }

  private authenticatorData(
    flags: number,
    more: Buffer = Buffer.alloc(0),
    host = new URL(this.origin).hostname,
  ): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(host), Buffer.from([flags]), counter, more]);
  }

  private clientData(type: string, challenge: string, origin = this.origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  /** The answer to `navigator.credentials.create()`. */
  create({ challenge }: { readonly challenge: string }, origin?: string) {
    const { x = "", y = "" } = this.keys.publicKey.export({ format: "jwk" });
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.from([0, id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, cbor(key)]);
    const flags = USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL;
    const authData = this.authenticatorData(flags, credential);
    const attestation = new Map<string, Cbor>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    const clientDataJSON = this.clientData("webauthn.create", challenge, origin);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientDataJSON.toString("base64url"),
        attestationObject: cbor(attestation).toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  /** The answer to `navigator.credentials.get()`. */
  get(
    { challenge }: { readonly challenge: string },
    { verified = true, origin = this.origin, host = new URL(this.origin).hostname } = {},
  ) {
    this.counter += 1;
    const flags = verified ? USER_PRESENT | USER_VERIFIED : USER_PRESENT;
    const authenticatorData = this.authenticatorData(flags, undefined, host);
    const clientDataJSON = this.clientData("webauthn.get", challenge, origin);
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    const signature = sign("sha256", signed, { key: this.keys.privateKey, dsaEncoding: "der" });
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientDataJSON.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        signature: signature.toString("base64url"),
      },
    };
  }
}
