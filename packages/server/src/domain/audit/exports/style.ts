/**
 * The style of an HTML export. It loads no font or image, and leaves the form out of print. Records
 * are not an HTML table, because the layout of a thousand rows takes longer than verifying them.
 */
export const EXPORT_STYLE = `
:root{color-scheme:light dark;--ink:#1d2523;--soft:#55625e;--line:#dbe2df;--paper:#fbfcfb;--card:#fff;--leaf:#1f6b52;--leaf-soft:#e6f2ec;--rust:#98271c;--rust-soft:#fcebe8;--sand:#6d4b00;--sand-soft:#fdf3dc}
@media (prefers-color-scheme:dark){:root{--ink:#e8eeeb;--soft:#a3b1ac;--line:#33403c;--paper:#141a18;--card:#1b2320;--leaf:#7fcfae;--leaf-soft:#1f332b;--rust:#ffb0a5;--rust-soft:#45201b;--sand:#efcf86;--sand-soft:#3a2f16}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:3rem 1.25rem}
h1{font-size:2.1rem;line-height:1.2;margin:.2rem 0 .6rem;letter-spacing:-.01em}
h2{font-size:1.25rem;margin:2.5rem 0 .75rem}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
p{margin:.4rem 0 0;overflow-wrap:anywhere}
a{color:var(--rust);text-underline-offset:.15em;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--leaf);outline-offset:2px;border-radius:2px}
code,pre,textarea{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85em;overflow-wrap:anywhere}
.lead{font-size:1.15rem;color:var(--soft)}
.banner{margin-top:1.25rem;padding:1rem 1.25rem;border:2px solid var(--line);border-radius:.6rem;background:var(--card)}
.banner p{margin:.2rem 0 0}
.banner .headline{margin:0;font-size:1.25rem;font-weight:600;line-height:1.35}
.mark{display:inline-block;min-width:1.6em}
[data-verdict=holds] .banner{background:var(--leaf-soft);border-color:var(--leaf)}
[data-verdict=unconfirmed] .banner{background:var(--leaf-soft);border:2px dashed var(--leaf)}
[data-verdict=holds] .headline,[data-verdict=unconfirmed] .headline{color:var(--leaf)}
[data-verdict=fails] .banner{background:var(--rust-soft);border-color:var(--rust)}
[data-verdict=fails] .headline{color:var(--rust)}
[data-verdict=unsupported] .banner,[data-verdict=unread] .banner{background:var(--sand-soft);border-color:var(--sand)}
[data-verdict=unsupported] .headline,[data-verdict=unread] .headline{color:var(--sand)}
dl{margin:0}
.answers{display:grid;grid-template-columns:minmax(9rem,1fr) 2fr;border-top:1px solid var(--line)}
.answers dt,.answers dd{margin:0;padding:.55rem .75rem .55rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.answers dt b{display:block}
.answers .holds b{color:var(--leaf)}
.answers .fails b{color:var(--rust)}
.answers .not_checked b{color:var(--soft)}
ol,.keys{padding-left:1.3rem;margin:.4rem 0 0}
form{display:grid;gap:1rem;margin-top:1rem}
label{display:block;font-weight:600}
textarea{display:block;width:100%;margin-top:.25rem;padding:.5rem;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:.3rem;resize:vertical}
.hint{color:var(--soft);font-size:.9rem}
.error{color:var(--rust);font-weight:600}
button{justify-self:start;padding:.5rem 1.1rem;font:inherit;font-weight:600;color:var(--paper);background:var(--leaf);border:0;border-radius:.3rem;cursor:pointer}
table,thead,tbody,td{display:block}
table{font-size:.9rem}
tr{display:grid;grid-template-columns:6.5rem 14rem 1fr 1.5fr 1.5fr;gap:.75rem;padding:.5rem .25rem 0}
tbody tr{content-visibility:auto;contain-intrinsic-size:auto 2.2rem}
th,td{text-align:left;padding:0;min-width:0;overflow-wrap:anywhere}
th{font-weight:600}
td.text{overflow:hidden}
thead tr,.more{border-bottom:1px solid var(--line)}
.more{display:block;padding:.1rem .25rem .5rem}
.bad{background:var(--rust-soft)}
.bad th{color:var(--rust)}
.bad th::after{content:" \\2717  does not hold";font-weight:400}
summary{color:var(--soft);cursor:pointer;width:fit-content}
pre{white-space:pre-wrap;margin:.5rem 0;padding:.75rem;overflow:hidden;background:var(--card);border:1px solid var(--line);border-radius:.3rem}
.proof dt{font-weight:600}
.proof dd{margin:0 0 .4rem}
@media (max-width:44rem){h1{font-size:1.7rem}main{padding-top:1.75rem}.answers{display:block}.answers dt{border:0;padding-bottom:0}.answers dd{padding-top:0}tr,th{display:block}tbody tr:not(.more){contain-intrinsic-size:auto 8rem}thead{position:absolute;left:-999rem}}
@media print{:root{--ink:#000;--soft:#333;--paper:#fff;--card:#fff}form{display:none}tr{break-inside:avoid}}
`;
