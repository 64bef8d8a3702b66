/** The documentation as the service serves it: one folder, whose links stay within it. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const { dirname, join, relative } = posix;
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}packages/server/dist/assets/docs`;

const filesOf = (below) =>
  readdirSync(below, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath.replaceAll("\\", "/"), entry.name));

/** Path from the repository's root → path below `/docs`. */
function servedDocuments() {
  const examples = readdirSync(`${root}examples`).map((name) => `examples/${name}/README.md`);
  const others = ["CHANGELOG.md", "SECURITY.md", "packages/agent/README.md", ...examples];
  const docs = filesOf(`${root}docs`).filter(
    (file) => file.endsWith(".md") || file.startsWith(`${root}docs/pictures/`),
  );
  return new Map([
    ...docs.map((file) => [relative(root, file), relative(`${root}docs`, file)]),
    ...others.filter((file) => existsSync(root + file)).map((file) => [file, file]),
  ]);
}

const FENCED = /(^[ \t]*```[\s\S]*?^[ \t]*```[ \t]*$)/m;
/** Code, which stays as it is, or a link. */
const CODE_OR_LINK = /`[^`\n]+`|\[([^[\]]*)\]\(([^()\s]+)\)/g;

/** A link leads to where its target is served; one to what is not served becomes its words. */
function serveLinks(text, from, served) {
  const renew = (whole, words, target) => {
    if (target === undefined || /^(?:[a-z]+:|#)/i.test(target)) return whole;
    const [path, anchor] = target.split("#");
    const to = served.get(join(dirname(from), path));
    if (to === undefined) return words;
    const address = relative(dirname(served.get(from)), to);
    return `[${words}](${address}${anchor === undefined ? "" : `#${anchor}`})`;
  };
  return text
    .split(FENCED)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(CODE_OR_LINK, renew)))
    .join("");
}

export function copyDocs() {
  const served = servedDocuments();
  for (const [from, to] of served) {
    const file = join(folder, to);
    mkdirSync(dirname(file), { recursive: true });
    if (!from.endsWith(".md")) copyFileSync(root + from, file);
    else writeFileSync(file, serveLinks(readFileSync(root + from, "utf8"), from, served));
  }
  // What an older build had would be served for ever.
  const wanted = new Set([...served.values()].map((to) => join(folder, to)));
  for (const file of filesOf(folder)) if (!wanted.has(file)) rmSync(file);
}
