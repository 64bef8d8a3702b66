import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Other people's vectors, read from beside the repository and never committed. Absent in a
 * stranger's clone: the tests that use them then say so and skip. The runtime bundles replace
 * this module by its own value, since Workers and browsers have no files.
 */
export interface Vectors {
  readonly jcs: readonly { name: string; input: string; outputHex: string }[];
  readonly jcsNumbers: readonly { ieee754_hex: string; expected: string | null }[];
  readonly wycheproof: readonly {
    key: string;
    tests: readonly { tcId: number; msg: string; sig: string; result: string }[];
  }[];
  readonly speccheck: readonly { message: string; pub_key: string; signature: string }[];
  /** Merkle proofs by file name, as text: sizes go beyond what a number holds. */
  readonly merkle: readonly { name: string; text: string }[];
  readonly merkleRoots: { leaf_inputs_hex: readonly string[]; root_hashes_hex: readonly string[] };
  readonly note: { vkey: string; note: string };
  /** Signed requests of Web Bot Auth: by its library's vectors, and as its draft prints them. */
  readonly webBotAuth: readonly {
    readonly name: string;
    readonly key: Record<string, string>;
    readonly url: string;
    readonly created: number;
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  }[];
  /** A key directory as the draft prints it, with the bytes its own signature is over. */
  readonly directory: { readonly body: string; readonly base: string; readonly signature: string };
  readonly signatureAgents: readonly {
    readonly name: string;
    readonly header: string;
    readonly entries: readonly { label: string; uri: string; type: string }[];
  }[];
  readonly thumbprints: readonly { name: string; jwk: string; thumbprint: string }[];
}

const folder = fileURLToPath(new URL("../../../../shared/vectors/", import.meta.url));

function text(path: string): string {
  return readFileSync(folder + path, "utf8");
}

function json(path: string) {
  return JSON.parse(text(path));
}

function merkleProofs() {
  const home = "merkle/transparency-dev-merkle/";
  return readdirSync(folder + home, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => ({ name, text: text(home + name) }));
}

interface SignedVector {
  readonly key: Record<string, string>;
  readonly target_url: string;
  readonly created_ms: number;
  readonly signature: string;
  readonly signature_input: string;
  readonly signature_agent?: string;
}

function signedVectors(version: string): Vectors["webBotAuth"] {
  const found: SignedVector[] = json(`web-bot-auth/web_bot_auth_architecture_${version}.json`);
  return found.map((one, i) => ({
    name: `${version} ${i + 1} (${one.key.kty})`,
    key: one.key,
    url: one.target_url,
    created: one.created_ms,
    fields: [
      { name: "Signature", value: one.signature },
      { name: "Signature-Input", value: one.signature_input },
      ...(one.signature_agent === undefined
        ? []
        : [{ name: "Signature-Agent", value: one.signature_agent }]),
    ],
  }));
}

/** Requests as the draft prints them; their keys are those of the other vectors. */
function draftVectors(): Vectors["webBotAuth"] {
  const keys = signedVectors("v2").map(({ key }) => key);
  const printed: { title: string; blocks: string[] }[] = json("web-bot-auth/draft-02.json");
  return printed
    .filter(({ title }) => title.includes("Signature-Agent"))
    .map(({ title, blocks }, i) => {
      const text = blocks.at(-1) ?? "";
      const fields = text.split("\n").map((line) => {
        const [, name = "", value = ""] = /^([\w-]+): (.*)$/.exec(line) ?? [];
        return { name, value };
      });
      const kty = text.includes("ed25519") ? "OKP" : "RSA";
      const key = keys.find((one) => one.kty === kty) ?? {};
      const name = `draft-02 ${i + 1}: ${title.replace(/ \{.*$/, "")} (${kty})`;
      return {
        name,
        key,
        url: "https://example.com/path/to/resource",
        created: 1735689600000,
        fields,
      };
    });
}

function draftDirectory(): Vectors["directory"] {
  const printed: { title: string; blocks: string[] }[] = json("web-bot-auth/draft-02.json");
  const { blocks = [] } = printed.find(({ title }) => title.includes("Directory")) ?? {};
  const [, body = "", , base = "", headers = ""] = blocks;
  const [, signature = ""] = /^Signature: binding=:(.*):$/m.exec(headers) ?? [];
  return { body, base, signature };
}

function load(): Vectors {
  const names = readdirSync(`${folder}jcs/input`);
  return {
    jcs: names.map((name) => ({
      name,
      input: text(`jcs/input/${name}`),
      outputHex: text(`jcs/outhex/${name.replace(".json", ".txt")}`).replace(/\s+/g, ""),
    })),
    jcsNumbers: json("jcs/rfc8785-appendix-b-numbers.json"),
    wycheproof: json("ed25519/ed25519_test.json").testGroups.map(
      (group: { publicKey: { pk: string }; tests: Vectors["wycheproof"][number]["tests"] }) => ({
        key: group.publicKey.pk,
        tests: group.tests,
      }),
    ),
    speccheck: json("ed25519/ed25519-speccheck-cases.json"),
    webBotAuth: [...signedVectors("v1"), ...signedVectors("v2"), ...draftVectors()],
    directory: draftDirectory(),
    signatureAgents: json("web-bot-auth/web_bot_auth_signature_agent_v1.json"),
    thumbprints: json("web-bot-auth/jwk-thumbprint.json"),
    merkle: merkleProofs(),
    merkleRoots: json("merkle/rfc6962-roots.json"),
    note: json("merkle/c2sp-signed-note-example.json"),
  };
}

export const vectors: Vectors | undefined = existsSync(folder) ? load() : undefined;
