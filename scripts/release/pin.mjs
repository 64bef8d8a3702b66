/**
 * `node scripts/release/pin.mjs` replaces versions of actions by revisions, and versions of images by digests, and
 * leaves the version beside them. With `--check` it changes nothing, and fails if something is not pinned.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const WORKFLOWS = ".github/workflows";
const IMAGES = ["deploy/Dockerfile", "deploy/compose.yaml", "deploy/compose.postgres.yaml"];
const ACTION = /(uses: )([\w.-]+\/[\w.-]+)@(\S+)(?: # (\S+))?/g;
/** Our own image is built from this source. */
const IMAGE = /((?:FROM|image:) +)((?!gatehouse:)[a-z]+):([\w.-]+)(@sha256:[0-9a-f]{64})?/g;
const REVISION = /^[0-9a-f]{40}$/;

const output = (program, ...args) => execFileSync(program, args, { encoding: "utf8" }).trim();

/** The commit that a tag of an action leads to. An annotated tag lists it in a second line, with `^{}`. */
function revisionOf(action, tag) {
  const lines = output(
    "git",
    "ls-remote",
    `https://github.com/${action}`,
    `refs/tags/${tag}`,
    `refs/tags/${tag}^{}`,
  );
  const revision = lines.split("\n").at(-1)?.split("\t")[0] ?? "";
  if (!REVISION.test(revision)) throw new Error(`${action} has no tag ${tag}`);
  return revision;
}

function digestOf(image) {
  const format = "{{json .Manifest}}";
  return JSON.parse(output("docker", "buildx", "imagetools", "inspect", image, "--format", format))
    .digest;
}

const files = [...readdirSync(WORKFLOWS).map((name) => `${WORKFLOWS}/${name}`), ...IMAGES];
const isCheck = process.argv.includes("--check");
const unpinned = [];
for (const file of files) {
  const text = readFileSync(file, "utf8");
  const pinned = text
    .replace(ACTION, (whole, uses, action, version, comment) => {
      if (isCheck) {
        if (!REVISION.test(version)) unpinned.push(`${file}: ${action}@${version}`);
        return whole;
      }
      const tag = comment ?? version;
      return `${uses}${action}@${revisionOf(action, tag)} # ${tag}`;
    })
    .replace(IMAGE, (whole, before, name, tag, digest) => {
      if (isCheck) {
        if (digest === undefined) unpinned.push(`${file}: ${name}:${tag}`);
        return whole;
      }
      return `${before}${name}:${tag}@${digestOf(`${name}:${tag}`)}`;
    });
  if (!isCheck && pinned !== text) writeFileSync(file, pinned);
}
for (const line of unpinned) console.error(`not pinned: ${line}`);
process.exitCode = unpinned.length === 0 ? 0 : 1;
