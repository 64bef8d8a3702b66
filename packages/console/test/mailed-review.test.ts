import { afterAll, describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { startMailbox } from "../../server/test/notifications/mailbox.ts";
import { desk, JOURNEY_VIEWS, journeyOptions, withAuthenticator } from "./desk.ts";

type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

/** Mails come later on a busy machine. */
const WAIT = { timeout: 20_000 };
/** The link in the newest mail that has one of this kind. */
const linkIn = ({ mails }: Mailbox, kind: RegExp) =>
  mails.flatMap(({ text }) => kind.exec(text)?.[0] ?? []).at(-1);

describe.skipIf(skipChromium)("a review by mail:", () => {
  let box: Mailbox;
  const at = desk({
    named: true,
    env: async () => {
      box = await startMailbox();
      return {
        GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${box.port}`,
        GATEHOUSE_MAIL_FROM: "Gatehouse <gate@example.com>",
      };
    },
  });
  afterAll(() => box?.close());

  test.each(JOURNEY_VIEWS)(
    "somebody is invited by mail, adds a passkey, and later opens the link in a mail, signs in there and approves, at $width pixels in $colorScheme",
    async (view) => {
      box.mails.length = 0;
      const email = `rosa-${view.width}-${view.colorScheme}@example.com`;
      await at.shop.admin("PUT", "/notifications", { emails: ["rosa@example.com"] });
      await at.shop.admin("POST", "/people", { name: "Rosa", role: "reviewer", email });
      await expect.poll(() => linkIn(box, /http\S+#link=\S+/), WAIT).toBeDefined();
      const { page } = await at.opened(journeyOptions(view));
      await withAuthenticator(page);
      await at.byLink(page, linkIn(box, /http\S+#link=\S+/) ?? "");
      const addPasskey = page.getByRole("button", { name: "Add a passkey" });
      await addPasskey.waitFor();
      // The page below has a main button of its own.
      expect(await addPasskey.getAttribute("class")).not.toMatch(/\bbg-act /);
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await addPasskey.click();
      await page.getByRole("region", { name: "Add a passkey" }).waitFor({ state: "detached" });

      await at.asks();
      await expect.poll(() => linkIn(box, /http\S+\/reviews\/esc_\S+/), WAIT).toBeDefined();
      // A mail carries no authority: in another browser its link leads to the sign-in.
      const stranger = await at.opened(journeyOptions(view));
      const review = linkIn(box, /http\S+\/reviews\/esc_\S+/) ?? "";
      await stranger.page.goto(review);
      await stranger.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();

      // Rosa is signed out too. She signs in where the link leads, and is on the page of the review then.
      if (view.width === 390) await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in to Gatehouse" }).waitFor();
      await page.goto(review);
      const signIn = page.getByRole("button", { name: "Sign in with a passkey" });
      await signIn.waitFor();
      expect(await page.getByText("€600.00").count()).toBe(0);
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await signIn.click();
      await page.waitForURL(review);
      await page.getByText("€600.00").first().waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByRole("button", { name: "Undo" }).waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await expect.poll(async () => (await at.at.orders(at.shop)).length, WAIT).toBe(1);
    },
    60_000,
  );

  test("an email to two addresses of the owner is one entry of an order's timeline", async () => {
    const emails = ["ada@example.com", "bea@example.com"];
    await at.shop.admin("PUT", "/notifications", { emails });
    await at.at.order(at.shop, await at.at.buyer(at.shop));
    const [{ order_id }] = await at.at.orders(at.shop);
    // Until both are delivered, they are two entries.
    const states = async () => {
      const { messages } = (await at.shop.admin("GET", `/orders/${order_id}`)).body;
      return messages.map(({ state }: { readonly state: string }) => state);
    };
    await expect.poll(states, WAIT).toEqual(["delivered", "delivered"]);
    const { page } = await at.opened();
    await at.signedIn(page, "owner", `/orders/${order_id}`);
    await page.getByText("Email to the owner (ada@example.com, bea@example.com)").waitFor();
    expect(await page.getByText("Email to the owner").count()).toBe(1);
  });

  test("the address of the signed-in owner is suggested for notifications, and saved by them", async () => {
    box.mails.length = 0;
    const email = "olga@example.com";
    await at.shop.admin("POST", "/people", { name: "Olga", role: "owner", email });
    await expect.poll(() => linkIn(box, /http\S+#link=\S+/), WAIT).toBeDefined();
    const { page } = await at.opened();
    await at.byLink(page, linkIn(box, /http\S+#link=\S+/) ?? "");
    await page.getByText("Signed in as Olga").waitFor();
    await page.goto(`${at.baseUrl()}/console/${at.domain}/settings/notifications`);
    await page.getByText("This is your address.").waitFor();
    expect(await page.getByLabel("Email addresses").inputValue()).toBe(email);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    expect((await at.shop.admin("GET", "/notifications")).body.emails).toEqual([email]);
  });

  test("an owner who resets a lost device reads that a sign-in link was sent, not an invitation", async () => {
    box.mails.length = 0;
    const rita = { name: "Rita", role: "reviewer", email: "rita@example.com" };
    await at.shop.admin("POST", "/people", rita);
    await expect.poll(() => linkIn(box, /http\S+#link=\S+/), WAIT).toBeDefined();
    const joined = await at.opened();
    await at.byLink(joined.page, linkIn(box, /http\S+#link=\S+/) ?? "");
    await joined.page.getByText("Signed in as Rita").waitFor();
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/people");
    const row = page.getByRole("row", { name: /Rita/ });
    await row.getByRole("button", { name: "Lost device" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset sign-in" }).click();
    await page.getByText("We sent a sign-in link to Rita.").waitFor();
  });
});
