/** An agent that signs its page requests, with another library than the one that verifies them. */
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:https";
import { createSigner, httpbis } from "http-message-signatures";
import { calculateJwkThumbprint } from "jose";
import { generate } from "selfsigned";

/** A key of its own, and requests signed with it as Web Bot Auth says. */
export async function createAgent() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const jwk = publicKey.export({ format: "jwk" });
  const thumbprint = await calculateJwkThumbprint(jwk);
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  const key = createSigner(createPrivateKey(pem), "ed25519", thumbprint);
  const sign = async (url, { origin, legacy = false, createdAt = Date.now(), lifeS = 300 }) => {
    // The older form of the header is one string, the newer one a dictionary.
    const header = legacy ? `"${origin}"` : `sig1="${origin}"`;
    const covered = legacy ? "signature-agent" : '"signature-agent";key="sig1"';
    const created = new Date(createdAt);
    const expires = new Date(createdAt + lifeS * 1000);
    const signing = {
      key,
      name: "sig1",
      fields: ["@authority", covered],
      params: ["created", "expires", "keyid", "tag"],
      paramValues: { created, expires, tag: "web-bot-auth" },
    };
    const request = { method: "GET", url, headers: { "signature-agent": header } };
    return (await httpbis.signMessage(signing, request)).headers;
  };
  return { jwk, thumbprint, sign };
}

/** The directory an agent publishes its keys in, over TLS, with a certificate of its own authority. */
export async function startDirectory(host) {
  const pems = await generate([{ name: "commonName", value: host }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 3_600_000),
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: host }] },
    ],
  });
  const directory = {
    keys: [],
    status: 200,
    location: undefined,
    /** Bytes to answer with, compressed with gzip. */
    packed: undefined,
    asked: 0,
    ca: pems.cert,
  };
  const server = createServer({ key: pems.private, cert: pems.cert }, (_request, response) => {
    directory.asked++;
    response.writeHead(directory.status, {
      "content-type": "application/http-message-signatures-directory+json",
      "cache-control": "max-age=60",
      ...(directory.location === undefined ? {} : { location: directory.location }),
      ...(directory.packed === undefined ? {} : { "content-encoding": "gzip" }),
    });
    response.end(directory.packed ?? JSON.stringify({ keys: directory.keys }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(directory, {
    host: `${host}:${port}`,
    origin: `https://${host}:${port}`,
    close,
  });
}
