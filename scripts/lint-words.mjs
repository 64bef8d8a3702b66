/**
 * `node scripts/lint-words.mjs [files]` checks that what people read is plain: no phrase of the lists in
 * words/rules.mjs, and no sentence that is too long. Without files it checks all documents, and the texts in the
 * code: of the console, the WordPress plugin, the command line, and the service with its emails and pages.
 */
import { existsSync, readdirSync } from "node:fs";
import { faultsOf } from "./words/faults.mjs";
import { filesIn } from "./words/texts.mjs";

/** Decisions and this list of dependencies are for people who change the code. */
const NOT_READ = /^docs\/(?:decisions\/|dependencies\.md)/;
/** Verdicts there use the words of the verifiers, which other programs print too. */
const VERDICTS = /\/proof\/|\/audit\/verify-/;
/** SQL, and the words of buyers in other languages. */
const NOT_ENGLISH = /\/store\.ts$|\/infra\/db\/|\/buyer-words\/(?!en\.ts)/;
/** The packages that print or send texts, besides the console. */
const SPEAKING = ["agent", "cli", "demo", "edge", "protocol", "server"];
const PLUGIN = "packages/wordpress/gatehouse";

/** Each package, each example and the release have their own page. */
function readmes() {
  const folders = ["packages", "examples", "release"].flatMap((folder) =>
    readdirSync(folder).map((name) => `${folder}/${name}/README.md`),
  );
  return [...folders.filter((file) => existsSync(file)), `${PLUGIN}/readme.txt`];
}

function documents() {
  const first = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
  return [...first, ...filesIn("docs", /\.md$/, NOT_READ), ...readmes()];
}

function programs() {
  return [
    ...filesIn("packages/console/src", /\.tsx?$/, VERDICTS),
    ...filesIn(PLUGIN, /\.php$/),
    ...SPEAKING.flatMap((name) => filesIn(`packages/${name}/src`, /\.[jt]s$/, NOT_ENGLISH)),
  ];
}

const named = process.argv.slice(2);
let count = 0;
for (const file of named.length === 0 ? [...documents(), ...programs()] : named) {
  for (const fault of faultsOf(file)) {
    count += 1;
    console.error(`${file}: ${fault}`);
  }
}
console.log(count === 0 ? "Words: no problems found." : `Words: ${count} to fix.`);
process.exitCode = count === 0 ? 0 : 1;
