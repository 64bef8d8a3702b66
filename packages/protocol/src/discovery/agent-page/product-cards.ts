import { formatAmount, type Money } from "../../money/amount.js";
import { showsPicture } from "../addresses.js";
import { type OfferedProduct, priceText } from "../offered-product.js";
import { htmlText } from "../text.js";

/** A price as people write it. The exact one is beside it for programs. */
function priceElement(price: Money): string {
  const { currency } = price;
  const exact = formatAmount(price);
  const digits = exact.split(".")[1]?.length ?? 0;
  const text = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(exact as Intl.StringNumericLiteral);
  return `<data class="price" value="${htmlText(priceText(price))}">${htmlText(text)}</data>`;
}

function picture(baseUrl: string, url: string | null | undefined): string {
  if (!showsPicture(baseUrl, url)) return "";
  return `<img src="${htmlText(url)}" alt="" width="240" height="180" loading="lazy" referrerpolicy="no-referrer">\n`;
}

function card(baseUrl: string, { id, title, price, url, imageUrl }: OfferedProduct): string {
  const buy = url === null ? "" : `\n<a class="buy" href="${htmlText(url)}">Buy here</a>`;
  return `<li data-product="${htmlText(id)}">${picture(baseUrl, imageUrl)}<h3><bdi>${htmlText(title)}</bdi></h3>
${priceElement(price)}${buy}</li>`;
}

/** Some products with their prices, and where a person buys them. */
export function productCards(baseUrl: string, products: readonly OfferedProduct[]): string {
  if (products.length === 0) return "";
  return `<h2 id="products">What you can buy</h2>
<ul class="products" role="list">
${products.map((product) => card(baseUrl, product)).join("\n")}
</ul>
`;
}
