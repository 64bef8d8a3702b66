/** What is used of `node:crypto`. */
interface NodeCrypto {
  hash(algorithm: "sha256", data: Uint8Array | string, encoding: "buffer"): Uint8Array;
  sign(algorithm: null, message: Uint8Array, key: object): Uint8Array;
  verify(algorithm: null, message: Uint8Array, key: object, signature: Uint8Array): boolean;
  readonly KeyObject: { from(key: CryptoKey): object };
}

interface Process {
  getBuiltinModule?(name: string): Partial<NodeCrypto> | undefined;
}

function find(): NodeCrypto | undefined {
  const { process } = globalThis as { readonly process?: Process };
  const nodeModule = process?.getBuiltinModule?.("node:crypto");
  // Workers that imitate Node have some of it.
  const whole = nodeModule?.hash && nodeModule.sign && nodeModule.verify && nodeModule.KeyObject;
  return whole === undefined ? undefined : (nodeModule as NodeCrypto);
}

/**
 * Node's own crypto, where this runs in Node: the same library does the same work at once, which Web
 * Crypto hands to another thread, for twice the price. Everywhere else Web Crypto does it.
 */
export const nodeCrypto = find();
