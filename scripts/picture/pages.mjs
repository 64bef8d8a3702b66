const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const FONT = "font-family: system-ui, 'DejaVu Sans', sans-serif";

/** A picture with its number and what happens in it. */
export function framePage(number, caption, picture) {
  return `<!doctype html><style>
    body { margin: 0; ${FONT}; background: #14342b; }
    p { margin: 0; height: 64px; display: flex; align-items: center; gap: 16px; padding: 0 24px; color: #fff; font-size: 22px; }
    b { background: #fff; color: #14342b; border-radius: 50%; width: 34px; height: 34px; display: grid; place-items: center; font-size: 18px; }
    img { display: block; }
  </style><p><b>${number}</b>${escaped(caption)}</p><img src="data:image/png;base64,${picture}">`;
}

const money = (minor, currency = "EUR") =>
  new Intl.NumberFormat("en", { style: "currency", currency }).format(minor / 100);

/** A chat, with the calls that the assistant really made. */
export function callsPage({ product, totals, continueUrl }) {
  const total = totals.at(-1).amount;
  return `<!doctype html><style>
    body { margin: 0; padding: 28px 40px; ${FONT}; font-size: 18px; background: #f6f5f1; color: #222; }
    .said { max-width: 620px; border-radius: 16px; padding: 14px 20px; margin: 12px 0; background: #fff; border: 1px solid #ddd; }
    .me { margin-left: auto; background: #dcefe6; }
    code { display: block; margin: 10px 0; padding: 10px 16px; border-left: 4px solid #2f7d5b; background: #eceae3; font: 15px 'DejaVu Sans Mono', monospace; max-width: 700px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  </style>
  <div class="said me">I need flowers for Friday. Something colourful, under €40.</div>
  <code>search_catalog {"query": "bouquet"}</code>
  <code>create_cart {"line_items": [{"item": {"id": "${escaped(product.id)}"}, "quantity": 1}]}</code>
  <div class="said">Fern &amp; Petal has <b>${escaped(product.title)}</b> for <b>${escaped(money(total))}</b>.
    I put it into a cart. You can order and pay here:<br><u>${escaped(continueUrl.slice(0, 46))}…</u></div>`;
}
