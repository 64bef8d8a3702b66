import { randomBytes } from "node:crypto";
import { signHmacWebhook, utf8, verifyHmacWebhook } from "@gatehouse/protocol";
import { startWordPress, type WordPress } from "./wordpress.ts";

// biome-ignore lint/suspicious/noExplicitAny: what tests read of answers is checked by the tests
export type Json = any;

export const ROUTE = "/wp-json/gatehouse/v1/connector";
export const BERLIN = {
  country: "DE",
  region: "BE",
  postal_code: "10115",
  city: "Berlin",
  street: "Invalidenstr. 1",
};
/** The way of delivery of the kit's shop. */
const PARCEL = "flat_rate:1";

let count = 0;
/** An id that nothing had before. */
export const fresh = (prefix: string) => `${prefix}_${++count}`;

/** The order of a reservation. */
export function orderOf(
  { reservation_id, currency, lines, total_minor }: Json,
  more: Json = {},
): Json {
  const line = (wanted: Json, i: number) => ({
    line_id: `li_${i + 1}`,
    title: "Espresso",
    cancelled: 0,
    sent: 0,
    unit_minor: 495,
    ...wanted,
  });
  return {
    order_id: fresh("ord"),
    number: 1042,
    revision: 1,
    reservation_id,
    created_at: "2026-11-18T12:00:00.000Z",
    test: false,
    currency,
    lines: lines.map(line),
    option: { id: PARCEL, title: "Parcel", amount_minor: 583 },
    discount_minor: 0,
    tax_minor: 0,
    total_minor,
    buyer: { email: "ann@example.com", first_name: "Ann", last_name: "Lee", phone: null },
    destination: { ...BERLIN, street_2: null, first_name: "Ann", last_name: "Lee", phone: null },
    agent: { id: "agt_1", name: "Shopper" },
    payment: { state: "authorized", provider: "stripe", reference: "pi_1", captured_minor: 0 },
    refunds: [],
    ...more,
  };
}

export type ConnectedShop = Awaited<ReturnType<typeof startConnectedShop>>;

/** A shop that has a connection, and a Gatehouse that is only a secret. */
export async function startConnectedShop(...options: Parameters<typeof startWordPress>) {
  const wordpress = await startWordPress(...options);
  const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
  let secret = newSecret();
  const products = await connect(wordpress, secret);
  let sent = 0;
  const sentMessages: { readonly headers: Record<string, string>; readonly body: string }[] = [];
  /** Sends bytes, signed unless the headers say something else. */
  const post = async (body: string, more: Record<string, string> = {}, route = ROUTE) => {
    const id = more["webhook-id"] ?? `msg_${++sent}`;
    const bytes = utf8(body);
    const signed = await signHmacWebhook({ id, body: bytes }, { secret, sentAt: Date.now() });
    const headers = { ...signed, ...more };
    sentMessages.push({ headers, body });
    const answer = await fetch(wordpress.url + route, { method: "POST", headers, body: bytes });
    const text = await answer.text();
    const signature = {
      timestamp: answer.headers.get("webhook-timestamp") ?? "",
      signature: answer.headers.get("webhook-signature") ?? "",
    };
    const message = { id, body: utf8(text) };
    const verified = await verifyHmacWebhook(message, signature, { secret, now: Date.now() });
    return { status: answer.status, headers: answer.headers, text, isSigned: verified.ok };
  };
  /** Sends a message, and returns its answer, which must be signed. */
  const send = async (message: Json): Promise<Json> => {
    const { status, text, isSigned } = await post(JSON.stringify(message));
    if (status !== 200 || !isSigned) throw new Error(`status ${status}: ${text}`);
    return JSON.parse(text);
  };
  return {
    wordpress,
    get secret() {
      return secret;
    },
    /** Every message, as it was sent. */
    sentMessages,
    /** Connects the shop with another secret, where one connection replaces another. */
    async connectAgain(): Promise<void> {
      secret = newSecret();
      await connect(wordpress, secret);
    },
    /** Ids by number of the catalogue, such as `SHOP-001`. */
    products,
    post,
    send,
    /** A message that reserves one product, with the total of a quote. */
    async reservation(sku: string, quantity = 1, more: Json = {}): Promise<Json> {
      const cart = {
        currency: "EUR",
        lines: [{ product_id: products[sku], quantity }],
        destination: BERLIN,
        option_id: PARCEL,
        coupons: [],
        ...more,
      };
      const { total_minor } = await send({ type: "quote", ...cart });
      const reservation_id = fresh("pay");
      return { type: "reserve", reservation_id, expires_in_s: 3600, ...cart, total_minor };
    },
    php: (code: string) => wordpress.evaluate(`${code};`) as Promise<Json>,
    stop: () => wordpress.stop(),
  };
}

async function connect(wordpress: WordPress, secret: string): Promise<Record<string, string>> {
  return wordpress.evaluate(`
    Gatehouse\\Storage::create();
    Gatehouse\\Settings::read( array(
      'gatehouse'         => 'http://localhost:1',
      'site_key'          => 'us_' . str_repeat( 'A', 43 ),
      'connection_id'     => 'con_1',
      'connection_secret' => '${secret}',
    ) )->save();
    $ids = array();
    foreach ( wc_get_products( array( 'limit' => -1, 'type' => array( 'simple', 'variable', 'variation' ) ) ) as $product ) {
      $ids[ $product->get_sku() ] = (string) $product->get_id();
    }
    echo json_encode( $ids );`);
}
