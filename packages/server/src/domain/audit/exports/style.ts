import { DESIGN_TOKENS } from "@gatehouse/protocol";

/**
 * The style of an HTML export. It loads no font or image, and leaves the form out of print. Records
 * are not an HTML table, because the layout of a thousand rows takes longer than verifying them.
 */
export const EXPORT_STYLE = `
${DESIGN_TOKENS}
*{box-sizing:border-box}
body{margin:0;background:var(--color-back);color:var(--color-ink);font:var(--text-base)/var(--leading) var(--font-sans)}
main{max-width:64rem;margin:0 auto;padding:3rem 1.25rem}
h1{font-size:var(--text-xl);line-height:1.2;margin:.2rem 0 .6rem;letter-spacing:-.01em}
h2{font-size:var(--text-lg);margin:2.5rem 0 .75rem}
h3{font-size:var(--text-base);margin:1.5rem 0 .5rem}
p{margin:.4rem 0 0;overflow-wrap:anywhere}
a{color:var(--color-bad);text-underline-offset:.15em;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--color-act);outline-offset:2px;border-radius:2px}
code,pre,textarea{font-family:var(--font-mono);font-size:var(--text-sm);overflow-wrap:anywhere}
.lead{font-size:var(--text-lg);color:var(--color-soft)}
.banner{margin-top:1.25rem;padding:1rem 1.25rem;border:2px solid var(--color-line);border-radius:var(--radius);background:var(--color-card)}
.banner p{margin:.2rem 0 0}
.banner .headline{margin:0;font-size:var(--text-lg);font-weight:600;line-height:1.35}
.mark{display:inline-block;min-width:1.6em}
[data-verdict=holds] .banner{background:var(--color-act-soft);border-color:var(--color-act)}
[data-verdict=unconfirmed] .banner{background:var(--color-act-soft);border:2px dashed var(--color-act)}
[data-verdict=holds] .headline,[data-verdict=unconfirmed] .headline{color:var(--color-act)}
[data-verdict=fails] .banner{background:var(--color-bad-soft);border-color:var(--color-bad)}
[data-verdict=fails] .headline{color:var(--color-bad)}
[data-verdict=unsupported] .banner,[data-verdict=unread] .banner{background:var(--color-warn-soft);border-color:var(--color-warn)}
[data-verdict=unsupported] .headline,[data-verdict=unread] .headline{color:var(--color-warn)}
dl{margin:0}
.answers{display:grid;grid-template-columns:minmax(9rem,1fr) 2fr;border-top:1px solid var(--color-line)}
.answers dt,.answers dd{margin:0;padding:.55rem .75rem .55rem 0;border-bottom:1px solid var(--color-line);overflow-wrap:anywhere}
.answers dt b{display:block}
.answers .holds b{color:var(--color-act)}
.answers .fails b{color:var(--color-bad)}
.answers .not_checked b{color:var(--color-soft)}
ol,.keys{padding-left:1.3rem;margin:.4rem 0 0}
form{display:grid;gap:1rem;margin-top:1rem}
label{display:block;font-weight:600}
textarea{display:block;width:100%;margin-top:.25rem;padding:.5rem;color:inherit;background:var(--color-card);border:1px solid var(--color-soft);border-radius:var(--radius);resize:vertical}
.hint{color:var(--color-soft);font-size:var(--text-sm)}
.error{color:var(--color-bad);font-weight:600}
button{justify-self:start;padding:.5rem 1.1rem;font:inherit;font-weight:600;color:var(--color-back);background:var(--color-act);border:0;border-radius:var(--radius);cursor:pointer}
table,thead,tbody,td{display:block}
table{font-size:var(--text-sm)}
tr{display:grid;grid-template-columns:6.5rem 14rem 1fr 1.5fr 1.5fr;gap:.75rem;padding:.5rem .25rem 0}
tbody tr{content-visibility:auto;contain-intrinsic-size:auto 2.2rem}
th,td{text-align:left;padding:0;min-width:0;overflow-wrap:anywhere}
th{font-weight:600}
td.text{overflow:hidden}
thead tr,.more{border-bottom:1px solid var(--color-line)}
.more{display:block;padding:.1rem .25rem .5rem}
.bad{background:var(--color-bad-soft)}
.bad th{color:var(--color-bad)}
.bad th::after{content:" \\2717  is not valid";font-weight:400}
summary{color:var(--color-soft);cursor:pointer;width:fit-content}
pre{white-space:pre-wrap;margin:.5rem 0;padding:.75rem;overflow:hidden;background:var(--color-card);border:1px solid var(--color-line);border-radius:var(--radius)}
.proof dt{font-weight:600}
.proof dd{margin:0 0 .4rem}
@media (max-width:44rem){h1{font-size:var(--text-xl)}main{padding-top:1.75rem}.answers{display:block}.answers dt{border:0;padding-bottom:0}.answers dd{padding-top:0}tr,th{display:block}tbody tr:not(.more){contain-intrinsic-size:auto 8rem}thead{position:absolute;left:-999rem}}
@media print{:root{--color-ink:#000;--color-soft:#333;--color-back:#fff;--color-card:#fff}form{display:none}tr{break-inside:avoid}}
`;
