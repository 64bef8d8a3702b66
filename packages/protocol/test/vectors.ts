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
    thumbprints: json("web-bot-auth/jwk-thumbprint.json"),
    merkle: merkleProofs(),
    merkleRoots: json("merkle/rfc6962-roots.json"),
    note: json("merkle/c2sp-signed-note-example.json"),
  };
}

export const vectors: Vectors | undefined = existsSync(folder) ? load() : undefined;
