import { type Message, startStandIn } from "./stand-in.ts";
import { startWordPress } from "./wordpress.ts";

/** A shop whose plugin is connected with a stand-in of Gatehouse. */
export async function startConnectedShop() {
  const [gate, wordpress] = await Promise.all([startStandIn(), startWordPress()]);
  await wordpress.command("connect", {}, gate.code());
  const php = (code: string) => wordpress.evaluate(code);
  return {
    gate,
    wordpress,
    php,
    /** The messages of a type since the test began. */
    sent: (type: string): Message[] => gate.messages.filter((one) => one.type === type),
    /** Runs PHP with a product of the kit as `$p`, and saves it. */
    change: (sku: string, code: string) =>
      php(
        `$p = wc_get_product( wc_get_product_id_by_sku( '${sku}' ) ); ${code} $p->save(); echo $p->get_id();`,
      ),
    /** The stand-in answers honestly from now on, and has no messages. */
    beHonest() {
      gate.mode = "honest";
      gate.answers = {};
      gate.messages.length = 0;
    },
    async stop() {
      await wordpress.stop();
      await gate.close();
    },
  };
}

export type ConnectedShop = Awaited<ReturnType<typeof startConnectedShop>>;
