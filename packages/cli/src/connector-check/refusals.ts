import { randomBytes } from "node:crypto";
import { MINUTE_MS } from "../time.js";
import { type Outgoing, type ShopEndpoint, signRight } from "./endpoint.js";
import { Broken } from "./finding.js";
import type { Report } from "./report.js";

const REFUSAL_MS_MAX = 5000;
/** Well beyond the 5 minutes that a message may be old or ahead. */
const OLD_MS = 15 * MINUTE_MS;
/** As many as a SHA-256 has. */
const CHALLENGE_BYTES = 32;

type Sign = NonNullable<Outgoing["sign"]>;

const otherSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

const unsigned: Sign = async () => ({});
const byOther: Sign = (signer) => signRight({ ...signer, secret: otherSecret() });
const changed: Sign = (signer) => signRight({ ...signer, body: `${signer.body} ` });
const ofOtherId: Sign = async (signer) => ({
  ...(await signRight({ ...signer, id: `${signer.id}x` })),
  "webhook-id": signer.id,
});
const at =
  (offsetMs: number): Sign =>
  (signer) =>
    signRight({ ...signer, now: signer.now + offsetMs });

/** Messages that a shop system must refuse. They are quotes: if it answers, nothing happens. */
export async function checkRefusals(
  report: Report,
  endpoint: ShopEndpoint,
  quote: object,
): Promise<void> {
  const right = JSON.stringify(quote);
  const expectStatus = async (what: string, wanted: number, body: string, sign?: Sign) => {
    const outgoing = { body, totalMs: REFUSAL_MS_MAX, ...(sign && { sign }) };
    const { status, fault, exchange } = await endpoint.send(outgoing);
    if (status === wanted) return;
    const instead = status === 0 ? fault : `It was answered with status ${status}.`;
    throw new Broken(`${what} must be refused with status ${wanted}. ${instead}`, exchange);
  };
  await report.check("Signatures", "An unsigned message is refused with 401.", () =>
    expectStatus("A message without signature headers", 401, right, unsigned),
  );
  await report.check(
    "Signatures",
    "A message with a wrong signature is refused with 401.",
    async () => {
      await expectStatus("A message signed with another secret", 401, right, byOther);
      await expectStatus("A message whose body was changed", 401, right, changed);
      await expectStatus("A message whose webhook-id was changed", 401, right, ofOtherId);
    },
  );
  await report.check("Signatures", "An old message is refused with 401.", () =>
    expectStatus("A message signed 15 minutes ago", 401, right, at(-OLD_MS)),
  );
  await report.check("Signatures", "A message from the future is refused with 401.", () =>
    expectStatus("A message signed 15 minutes ahead", 401, right, at(OLD_MS)),
  );
  await report.check(
    "Connect",
    "Nobody gets proof of a connection that is not begun.",
    async () => {
      const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
      const body = JSON.stringify({ type: "proof", challenge });
      const outgoing = { body, totalMs: REFUSAL_MS_MAX, sign: unsigned };
      const { status, exchange } = await endpoint.send(outgoing);
      if (status !== 200) return;
      throw new Broken("A challenge that the shop system has not sent must be refused.", exchange);
    },
  );
  await report.check("How it works", "A body that is not JSON is answered with 400.", () =>
    expectStatus("A signed body that is not JSON", 400, "{"),
  );
  await report.check("How it works", "An unknown type of message is answered with 400.", () =>
    expectStatus("A signed message of an unknown type", 400, '{"type":"connector-check"}'),
  );
}
