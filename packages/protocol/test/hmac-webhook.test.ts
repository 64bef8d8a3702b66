import { expect, test } from "vitest";
import { signHmacWebhook, utf8, verifyHmacWebhook } from "../src/index.ts";

// The example in the documentation of Standard Webhooks.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: utf8('{"test": 2432232314}') };
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const timestamp = "1614265330";
const now = 1_614_265_330_000;

test("a message is signed as in the example of Standard Webhooks", async () => {
  const headers = await signHmacWebhook(message, { secret, sentAt: now + 999 });
  expect(headers).toEqual({
    "content-type": "application/json",
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": SIGNATURE,
  });
});

test("only a recent message with its own id, time and body is accepted", async () => {
  const check = async (changed: object, at = now, signature = SIGNATURE, time = timestamp) => {
    const sent = { timestamp: time, signature };
    const checked = await verifyHmacWebhook({ ...message, ...changed }, sent, { secret, now: at });
    return checked.ok ? "accepted" : checked.reason;
  };
  expect(await check({})).toBe("accepted");
  expect(await check({}, now + 300_000, `v1,AAAA ${SIGNATURE}`)).toBe("accepted");
  expect(await check({}, now + 301_000)).toBe("old");
  expect(await check({}, now - 301_000)).toBe("old");
  expect(await check({ id: "msg_2" })).toBe("unsigned");
  expect(await check({ body: utf8("{}") })).toBe("unsigned");
  expect(await check({}, now, SIGNATURE, "1614265331")).toBe("unsigned");
  expect(await check({}, now, SIGNATURE, "")).toBe("unsigned");
  expect(await check({}, now, SIGNATURE.slice(3))).toBe("unsigned");
});

test("a secret that is too short to protect anything is refused", async () => {
  const short = { secret: "whsec_c2hvcnQ=", sentAt: now };
  const problem = await signHmacWebhook(message, short).then(
    () => "none",
    (error: Error) => error.message,
  );
  expect(problem.includes("24 bytes")).toBe(true);
});
