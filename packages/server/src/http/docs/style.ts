import { DESIGN_TOKENS } from "@gatehouse/protocol";

/** Lines are short enough to read well. */
export const STYLE = `${DESIGN_TOKENS}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto;
  max-width: 66rem;
  padding: 0 1.25rem;
  background: var(--color-back);
  color: var(--color-ink);
  font: var(--text-base)/var(--leading) var(--font-sans);
}
a { color: var(--color-act); text-underline-offset: 2px; }
:focus-visible { outline: 3px solid var(--color-act); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -99rem; }
.skip:focus {
  left: 1rem;
  top: 0.5rem;
  padding: 0.4rem 0.8rem;
  border-radius: var(--radius);
  background: var(--color-act);
  color: var(--color-act-ink);
}
header, footer {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  gap: 0.25rem 1.5rem;
  padding: 1rem 0;
  border-bottom: 1px solid var(--color-line);
}
header a:first-child { display: inline-flex; gap: 0.5rem; align-items: center; color: inherit; font-weight: 600; text-decoration: none; }
header svg { color: var(--color-act); }
.search { display: flex; gap: 0.5rem; align-items: baseline; }
.search input, .search button {
  font: inherit;
  padding: 0.15rem 0.6rem;
  border: 1px solid var(--color-soft);
  border-radius: var(--radius);
  background: var(--color-card);
  color: inherit;
}
.search input { width: 12rem; min-width: 0; }
.found li { margin-bottom: 0.8rem; color: var(--color-soft); }
footer { margin-top: 3rem; border: 0; border-top: 1px solid var(--color-line); color: var(--color-soft); }
main { min-width: 0; max-width: 46rem; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.3; overflow-wrap: anywhere; }
h1 { margin: 1.75rem 0 1rem; font-size: var(--text-xl); }
h2 { margin: 2.25rem 0 0.75rem; font-size: var(--text-lg); }
h3 { margin: 1.75rem 0 0.5rem; font-size: var(--text-base); }
p, ul, ol, pre, blockquote, .table { margin: 0 0 1rem; }
ul, ol { padding-left: 1.4rem; }
li > ul, li > ol { margin-bottom: 0; }
blockquote { padding-left: 1rem; border-left: 3px solid var(--color-line); color: var(--color-soft); }
img { display: block; max-width: 100%; height: auto; border: 1px solid var(--color-line); border-radius: var(--radius); }
hr { border: 0; border-top: 1px solid var(--color-line); }
code { font: var(--text-sm)/var(--leading) var(--font-mono); overflow-wrap: anywhere; }
pre, .table { overflow-x: auto; border: 1px solid var(--color-line); border-radius: var(--radius); background: var(--color-card); }
pre { padding: 0.8rem 1rem; }
pre code { line-height: 1.35; overflow-wrap: normal; }
table { width: 100%; border-collapse: collapse; font-size: var(--text-sm); }
th, td { min-width: 6rem; padding: 0.45rem 0.8rem; text-align: left; vertical-align: top; }
td:last-child { min-width: 12rem; }
td code { overflow-wrap: break-word; }
th { color: var(--color-soft); font-weight: 500; }
td { border-top: 1px solid var(--color-line); }
nav { padding-top: 1rem; font-size: var(--text-sm); }
nav h2 { margin: 1rem 0 0.25rem; font-size: var(--text-sm); color: var(--color-soft); font-weight: 500; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: inline-block; padding: 0.15rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav [aria-current] { color: var(--color-ink); font-weight: 600; }
@media (width >= 62rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 46rem) 1fr; gap: 3.5rem; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; }
  header a[href^="#"] { display: none; }
}
@media print {
  header, nav, footer, .skip { display: none; }
}
`;
