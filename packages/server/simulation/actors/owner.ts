import { listed, POLICIES, PRODUCTS } from "../shop.ts";
import type { World } from "../world.ts";

type Product = (typeof PRODUCTS)[number];

/** The owner, who brakes and changes prices, stock, rules and platforms. */
export class Owner {
  private readonly world: World;
  /** Whether sales may be paused, as far as the owner knows. */
  isPaused = false;
  /** The stock that is being set, by product: until it is answered, it may hold or not. */
  readonly setting = new Map<string, number>();
  /** Told of every price that was set. */
  private readonly priced: (id: string, price: number) => void;

  constructor(world: World, priced: (id: string, price: number) => void) {
    this.world = world;
    this.priced = priced;
  }

  async act(): Promise<string> {
    const deed = this.world.random.weighted({
      resume: 1,
      pause: 2,
      price: 3,
      stock: 3,
      rules: 3,
      admit: 3,
      suspend: 1,
      capture: 2,
    });
    return `${deed} ${await this.do(deed)}`;
  }

  async pause(): Promise<string> {
    this.isPaused = true;
    return `owner: pauses ${(await this.world.admin("POST", "/pause", {})).status}`;
  }

  async resume(): Promise<string> {
    const { status } = await this.world.admin("POST", "/resume", {});
    if (status === 200) this.isPaused = false;
    return `owner: resumes ${status}`;
  }

  private async do(deed: string): Promise<string | number> {
    const { world } = this;
    const { random } = world;
    switch (deed) {
      case "pause":
        return this.pause();
      case "resume":
        return this.resume();
      case "price":
      case "stock":
        return this.import(deed);
      case "rules": {
        const name = random.weighted({ usual: 3, open: 2, strict: 1 });
        return `${name} ${(await world.admin("PUT", "/policy", POLICIES[name])).status}`;
      }
      case "capture": {
        const keys = [...world.provider.books.keys()];
        if (keys.length > 0) world.provider.captureThere(random.pick(keys));
        return "";
      }
      default: {
        const { host } = random.pick(world.shop.platforms);
        const status = deed === "admit" ? "admitted" : "suspended";
        return `${host} ${(await world.admin("PUT", `/platforms/${host}`, { status })).status}`;
      }
    }
  }

  /** Changes one product; a line of a list leaves out what stays. */
  private async import(deed: "price" | "stock"): Promise<string> {
    const { random } = this.world;
    // What is nearly sold out is counted most often.
    const product = random.chance(0.4) ? (PRODUCTS.at(-1) as Product) : random.pick(PRODUCTS);
    const { id } = product;
    const price = deed === "price" ? Math.round(product.price * random.pick([0.8, 1, 1.1])) : 0;
    // Sometimes the last one is sold elsewhere while somebody pays for it here.
    const counted = random.chance(0.25) ? 0 : random.int(0, product.stock);
    const stock = deed === "stock" ? counted : 0;
    const {
      quantity,
      price: shown,
      ...rest
    } = listed({ id, price: price || product.price, stock });
    const line = deed === "stock" ? { ...rest, quantity, price: shown } : { ...rest, price: shown };
    if (deed === "stock") this.setting.set(id, stock);
    const answer = await this.world.admin("POST", "/products/import", JSON.stringify(line));
    if (answer.status === 200) this.priced(id, price || product.price);
    return `${id} ${deed === "stock" ? stock : price}: ${answer.status}`;
  }
}
