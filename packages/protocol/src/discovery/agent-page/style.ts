/** The page's whole style. No font, image or script is loaded; print drops what paper cannot use. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1d2523;--soft:#55625e;--line:#dbe2df;--paper:#fbfcfb;--card:#fff;--leaf:#1f6b52;--leaf-soft:#e6f2ec}
@media (prefers-color-scheme:dark){:root{--ink:#e8eeeb;--soft:#a3b1ac;--line:#33403c;--paper:#141a18;--card:#1b2320;--leaf:#7fcfae;--leaf-soft:#1f332b}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
main,footer{max-width:46rem;margin:0 auto;padding:0 1.25rem}
main{padding-top:3rem}
footer{padding-top:2rem;padding-bottom:3rem;color:var(--soft);font-size:.9rem}
h1{font-size:2.1rem;line-height:1.2;margin:.2rem 0 .6rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.75rem 0 .75rem}
h3{font-size:1.05rem;margin:1.75rem 0 .5rem}
.skills h3{margin:0}
p{margin:.4rem 0 0}
a{color:var(--leaf);text-underline-offset:.15em;overflow-wrap:anywhere}
a:focus-visible{outline:3px solid var(--leaf);outline-offset:2px;border-radius:2px}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85em;overflow-wrap:anywhere}
.domain{color:var(--soft);margin:0 0 .6rem}
.badge{display:inline-block;background:var(--leaf-soft);color:var(--leaf);border-radius:1rem;padding:.1rem .7rem;font-size:.85rem;font-weight:600}
.lead{font-size:1.15rem;color:var(--soft)}
ul.skills{list-style:none;margin:0;padding:0;display:grid;gap:.75rem}
ul.skills>li{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.15rem}
ul.skills p{color:var(--soft)}
ul.skills .id{font-size:.85rem;margin-top:.5rem}
ol{padding-left:1.3rem}
ol>li{margin-bottom:.5rem}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;vertical-align:top;padding:.55rem .75rem .55rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}
th span{font-weight:400;white-space:nowrap}
@media (max-width:36rem){h1{font-size:1.7rem}main{padding-top:1.75rem}table{font-size:.85rem}th,td{padding-right:.5rem;overflow-wrap:anywhere}th span{white-space:normal}}
@media print{:root{--ink:#000;--soft:#333;--line:#bbb;--paper:#fff;--card:#fff;--leaf:#000;--leaf-soft:#fff}body{font-size:11pt}main{padding-top:0}ul.skills>li,tr{break-inside:avoid}h2{break-after:avoid}a[href^="https:"]::after{content:" (" attr(href) ")";font-size:.85em}}
`;
