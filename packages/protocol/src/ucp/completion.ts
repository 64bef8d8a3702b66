import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { instrumentToken, type PaymentSetup } from "./handlers.js";

/** What a completion says, whatever transport it came by; undefined where it does not. */
export interface UcpCompletion {
  readonly checkoutId: string | undefined;
  /** The profile of the platform that names it. */
  readonly platformUrl: string | undefined;
  /** How the buyer pays. */
  readonly token: string | undefined;
}

const textOf = (value: JsonValue | undefined) => (typeof value === "string" ? value : undefined);
const membersOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

/**
 * The token of a `payment`: UCP wants exactly one instrument, of a handler of the shop.
 *
 * @example
 * const setup = { kind: "sandbox", live: false, publishableKey: null, walletMerchantId: null };
 * const instrument = { id: "i", handler_id: "sandbox", type: "card", credential: { token: "tok_visa" } };
 * paymentToken({ instruments: [instrument] }, setup); //=> "tok_visa"
 * paymentToken({ instruments: [instrument, instrument] }, setup); //=> undefined
 */
export function paymentToken(
  payment: JsonValue | undefined,
  setup: PaymentSetup | null,
): string | undefined {
  const { instruments } = membersOf(payment);
  const [instrument, another] = Array.isArray(instruments) ? instruments : [];
  if (!isJsonObject(instrument) || another !== undefined || setup === null) return undefined;
  return instrumentToken(instrument, setup);
}

/**
 * Reads the arguments of `complete_checkout`, as UCP's MCP binding has them: `{meta, id, checkout}`.
 *
 * @example
 * const args = { meta: { "ucp-agent": { profile: "https://platform.example/p" } }, id: "chk_1" };
 * readCompletion(args, null).platformUrl; //=> "https://platform.example/p"
 */
export function readCompletion(
  { meta, id, checkout }: JsonObject,
  setup: PaymentSetup | null,
): UcpCompletion {
  return {
    checkoutId: textOf(id),
    platformUrl: textOf(membersOf(membersOf(meta)["ucp-agent"]).profile),
    token: paymentToken(membersOf(checkout).payment, setup),
  };
}
