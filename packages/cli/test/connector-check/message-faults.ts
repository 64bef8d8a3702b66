import { signHmacWebhook, verifyHmacWebhook } from "@gatehouse/protocol";
import type { Faults, Plant } from "./planting.ts";

const accepts =
  (
    wrong: (right: boolean, signature: { timestamp: string; signature: string }) => boolean,
  ): Plant =>
  (shop) => {
    const right = shop.accepts.bind(shop);
    shop.accepts = async (message, signature) => wrong(await right(message, signature), signature);
  };

/** Believes any time for which it is later (or earlier) than now. */
const acceptsTime =
  (isAccepted: (sentAt: number, now: number) => boolean): Plant =>
  (shop) => {
    const right = shop.accepts.bind(shop);
    shop.accepts = async (message, signature) => {
      const sentAt = Number(signature.timestamp) * 1000;
      if (!isAccepted(sentAt, shop.clock.now())) return right(message, signature);
      const key = { secret: shop.secret, now: sentAt };
      return (await verifyHmacWebhook(message, signature, key)).ok;
    };
  };

export const MESSAGE_FAULTS: Faults = {
  "accepts messages without a signature": [
    "An unsigned message is refused with 401.",
    accepts((right, { signature }) => right || signature === ""),
  ],
  "accepts any signature": [
    "A message with a wrong signature is refused with 401.",
    accepts((right, { timestamp, signature }) => {
      const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
      return right || (signature !== "" && isFresh);
    }),
  ],
  "accepts old messages": [
    "An old message is refused with 401.",
    acceptsTime((sentAt, now) => sentAt < now),
  ],
  "accepts messages from the future": [
    "A message from the future is refused with 401.",
    acceptsTime((sentAt, now) => sentAt > now),
  ],
  "fails at a body that is not JSON": [
    "A body that is not JSON is answered with 400.",
    (shop) => {
      const right = shop.read.bind(shop);
      shop.read = (body) => {
        JSON.parse(body);
        return right(body);
      };
    },
  ],
  "answers an unknown type as if it were a release": [
    "An unknown type of message is answered with 400.",
    (shop) => {
      const right = shop.read.bind(shop);
      shop.read = (body) =>
        right(body) ?? (body.startsWith('{"') ? { type: "release" } : undefined);
    },
  ],
  "refuses messages with fields that it does not know": [
    "Unknown fields are ignored.",
    (shop) => {
      const right = shop.read.bind(shop);
      shop.read = (body) => (body.includes('"connector_check":') ? undefined : right(body));
    },
  ],
  "does not sign its answers": [
    "Every answer is signed with the id of its request.",
    (shop) => {
      shop.sign = async () => ({});
    },
  ],
  "signs its answers with an id of its own": [
    "Every answer is signed with the id of its request.",
    (shop) => {
      shop.sign = (answer) =>
        signHmacWebhook(
          { ...answer, id: "msg_own" },
          { secret: shop.secret, sentAt: shop.clock.now() },
        );
    },
  ],
  "does not answer quotes": [
    "Every answer comes within its time limit.",
    (shop) => {
      shop.spoil = { quote: "never" };
    },
  ],
  "answers with status 202": [
    "Every message that is right is answered with 200.",
    (shop) => {
      shop.status = 202;
    },
  ],
};
