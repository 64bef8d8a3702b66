import { launchChromium } from "../../../test/chromium.ts";
import { PAGE } from "./browser.ts";
import type { WordPress } from "./wordpress.ts";

/** Where `scripts/wordpress-screens.mjs` wants the pictures of the guide. Other runs take none. */
const folder = process.env.WORDPRESS_PICTURES;
const WINDOW = { width: 1120, height: 760 };
/** What a reader of the guide has instead of the addresses of a test. */
const ADDRESSES: Readonly<Record<string, string>> = {
  "localhost:\\d+": "shop.example.com",
  "127\\.0\\.0\\.1:\\d+": "gate.example.com",
};
/** The bar of WordPress, what others tell the owner, and boxes that have nothing to do with agents. */
const HIDDEN = [
  "#wpadminbar",
  "#wpfooter",
  "#screen-meta-links",
  ".woocommerce-layout__header",
  ".notice:not(.inline), .woocommerce-message, .update-nag",
  "#woocommerce-order-source-data, #woocommerce-customer-history, #order_custom",
];
const STYLE = `${HIDDEN.join(", ")} { display: none !important }
  html { padding-top: 0 !important } #wpbody { margin-top: 0 !important }`;

/** A page of the administration, by the name of its picture, and what it must show. */
export interface Picture {
  readonly name: string;
  readonly path?: string;
  readonly shows: string;
}

/** Takes a picture of a page as the owner sees it, where pictures are wanted. */
export async function takePicture(wordpress: WordPress, picture: Picture): Promise<void> {
  if (folder === undefined) return;
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: WINDOW });
    await page.goto(`${wordpress.url}/wp-login.php`);
    await page.fill("#user_login", wordpress.admin.log);
    await page.fill("#user_pass", wordpress.admin.pwd);
    await page.click("#wp-submit");
    await page.goto(wordpress.url + (picture.path ?? PAGE));
    await page.addStyleTag({ content: STYLE });
    const shown = page.getByText(picture.shows).first();
    await shown.waitFor();
    await page.evaluate((addresses) => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
        for (const [from, to] of Object.entries(addresses))
          text.nodeValue = (text.nodeValue ?? "")
            .replace(new RegExp(`http://${from}`, "g"), `https://${to}`)
            .replace(new RegExp(from, "g"), to);
    }, ADDRESSES);
    await page.screenshot({ path: `${folder}/${picture.name}.png` });
  } finally {
    await browser.close();
  }
}
