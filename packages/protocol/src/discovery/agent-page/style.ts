import { DESIGN_TOKENS } from "../../design-tokens.js";

/** The page's whole style. No font, image or script is loaded; print drops what paper cannot use. */
export const STYLE = `
${DESIGN_TOKENS}
*{box-sizing:border-box}
body{margin:0;background:var(--color-back);color:var(--color-ink);font:var(--text-base)/var(--leading) var(--font-sans)}
main,footer{max-width:46rem;margin:0 auto;padding:0 1.25rem}
main{padding-top:3rem}
footer svg{vertical-align:-.15em}
footer{padding-top:2rem;padding-bottom:3rem;color:var(--color-soft);font-size:var(--text-sm)}
h1{font-size:var(--text-xl);line-height:1.2;margin:.2rem 0 .6rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:var(--text-lg);margin:2.75rem 0 .75rem}
h3{font-size:var(--text-base);margin:1.75rem 0 .5rem}
.skills h3{margin:0}
p{margin:.4rem 0 0}
a{color:var(--color-act);text-underline-offset:.15em;overflow-wrap:anywhere}
a:focus-visible{outline:3px solid var(--color-act);outline-offset:2px;border-radius:2px}
code{font-family:var(--font-mono);font-size:var(--text-sm);overflow-wrap:anywhere}
img.shop{display:block;height:6rem;max-width:100%;margin:0 0 1rem;object-fit:contain;object-position:left;border-radius:var(--radius)}
.domain{color:var(--color-soft);margin:0 0 .6rem}
.badge{display:inline-block;background:var(--color-act-soft);color:var(--color-act);border-radius:1rem;padding:.1rem .7rem;font-size:var(--text-sm);font-weight:600}
.lead{font-size:var(--text-lg);color:var(--color-soft)}
ul.skills{list-style:none;margin:0;padding:0;display:grid;gap:.75rem}
ul.skills>li{background:var(--color-card);border:1px solid var(--color-line);border-radius:var(--radius);padding:.75rem 1rem}
ul.skills p{color:var(--color-soft)}
ul.skills .id{font-size:var(--text-sm);margin-top:.5rem}
ol{padding-left:1.3rem}
ol>li{margin-bottom:.5rem}
table{border-collapse:collapse;width:100%;font-size:var(--text-sm)}
th,td{text-align:left;vertical-align:top;padding:.55rem .75rem .55rem 0;border-bottom:1px solid var(--color-line)}
th{font-weight:600}
ul.products{list-style:none;margin:0;padding:0;display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr))}
ul.products>li{display:flex;flex-direction:column;gap:.35rem;background:var(--color-card);border:1px solid var(--color-line);border-radius:var(--radius);padding:.85rem}
ul.products img{width:100%;height:auto;aspect-ratio:4/3;object-fit:cover;border-radius:var(--radius)}
ul.products h3{font-size:var(--text-base);font-weight:500;margin:0;overflow-wrap:anywhere}
.price{font-size:var(--text-lg);font-weight:600}
.buy{margin-top:auto;align-self:start;border:1px solid var(--color-act);border-radius:var(--radius);padding:.25rem .75rem;font-weight:600;text-decoration:none}
details{margin:.5rem 0 0}
summary{cursor:pointer;color:var(--color-soft);margin-bottom:.75rem}
ul.skills h4{font-size:var(--text-sm);margin:.75rem 0 .25rem}
th span{font-weight:400;white-space:nowrap}
table a{overflow-wrap:normal}
@media (max-width:37.5rem){h1{font-size:var(--text-xl)}main{padding-top:1.75rem}thead{position:absolute;clip-path:inset(50%)}table,tbody{display:block}tbody tr{display:flex;flex-wrap:wrap;gap:0 .75rem;padding:.55rem 0;border-bottom:1px solid var(--color-line)}tbody :is(th,td){border:0;padding:0}tbody td:last-child{flex-basis:100%;color:var(--color-soft)}}
@media print{:root{--color-ink:#000;--color-soft:#333;--color-line:#bbb;--color-back:#fff;--color-card:#fff;--color-act:#000;--color-act-soft:#fff}body{font-size:11pt}main{padding-top:0}ul.skills>li,ul.products>li,tr{break-inside:avoid}h2{break-after:avoid}a[href^="https:"]::after{content:" (" attr(href) ")";font-size:var(--text-sm)}}
`;
