/**
 * `node scripts/release/stage.mjs <folder>` puts the `gatehouse` package into a folder, as `npm pack` takes it:
 * the command, the service, the demo and the console as bundles with everything they need. Run `npm run build`
 * before. The same source makes the same bytes.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { auditPageBuild } from "../bundle-audit-page.mjs";
import { consoleFiles } from "../bundle-console.mjs";
import { embedBuild } from "../bundle-embed.mjs";
import { bundledPackages } from "./bundled-packages.mjs";
import { sbomOf } from "./sbom.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Native code of SQLite for Node 20, by platform. Newer versions of Node have it built in. */
const PREBUILDS = "node_modules/@photostructure/sqlite/prebuilds";
/** What operators and developers copy from the package: configuration files and example programs. */
const COPIED = ["deploy", "examples"];
/** Files of a checkout that no package contains. */
const NOT_COPIED =
  /[\\/](?:node_modules|\.wrangler|tls|\.env|\.dev\.vars|\.gitignore|[^\\/]+\.pem|[^\\/]+\.key|[^\\/]*-key\.json)$/;
/** How the image gets the program: in a checkout it is built first, in the package it is there. */
const BUILT_IN_CHECKOUT = /^FROM \S+ AS build\n[\s\S]*?\n\n/m;
const COPY_BUILT = /^COPY --from=build \/gatehouse \/app$/m;
/** Named one by one: beside the compose files are secrets, which must not become a layer. */
const COPY_PACKAGE = [
  "COPY bin /app/bin",
  "COPY dist /app/dist",
  "COPY package.json LICENSE THIRD-PARTY-LICENSES.txt sbom.cdx.json /app/",
  "COPY deploy/healthcheck.mjs /app/deploy/",
].join("\n");
/** What bundled CommonJS asks for, in a module. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** In this package the demo is a file and not a package beside it. */
const ownDemo = {
  name: "own-demo",
  setup(bundle) {
    bundle.onLoad({ filter: /cli\/dist\/commands\/demo\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = text.replace('"@gatehouse/demo"', '"../demo/demo.js"');
      if (contents === text) throw new Error(`${path} does not import the demo`);
      return { contents };
    });
  },
};

async function bundleInto(folder) {
  const common = {
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["pg-native", "../demo/demo.js"],
    banner: { js: REQUIRE },
    legalComments: "none",
    metafile: true,
    plugins: [ownDemo],
  };
  const command = { main: "packages/cli/dist/main.js" };
  const demo = Object.fromEntries(
    ["demo", "shop-app", "ucp-buyer"].map((name) => [name, `packages/demo/src/${name}.js`]),
  );
  const built = [
    await build({ ...common, entryPoints: command, outdir: join(folder, "dist/bundle") }),
    await build({ ...common, entryPoints: demo, outdir: join(folder, "dist/demo") }),
  ];
  return built.flatMap(filesInside);
}

/** The files whose code is in what esbuild made. What is imported but not used is left out of it. */
function filesInside({ metafile }) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
}

/** The files inside the pages and scripts that `npm run build` made. */
async function filesInsidePages() {
  const scripts = await Promise.all(
    [auditPageBuild, embedBuild].map((options) => build({ ...options, metafile: true })),
  );
  return [...scripts.flatMap(filesInside), ...(await consoleFiles())];
}

function licenceTexts(packages) {
  const rule = "-".repeat(80);
  return packages
    .map(({ name, version, license, licences }) =>
      [`${name} ${version} (${license})`, "", ...licences, ""].join("\n"),
    )
    .join(`\n${rule}\n\n`);
}

/** The Dockerfile for an image from the package instead of a checkout. */
function packageDockerfile(text) {
  const steps = [
    [
      /from this copy of the repository\. Build it at the root of the repository:/,
      "from this package. Build it in the folder of the package:",
    ],
    [BUILT_IN_CHECKOUT, ""],
    [COPY_BUILT, COPY_PACKAGE],
  ];
  return steps.reduce((before, [pattern, replacement]) => {
    const after = before.replace(pattern, replacement);
    if (after === before) throw new Error(`deploy/Dockerfile has no ${pattern}`);
    return after;
  }, text);
}

/**
 * Where the source is, as a member of a manifest; empty without an address. The address is named and never taken
 * from the environment, because somebody else who packs the same source must get the same bytes.
 */
export function repository(address, directory) {
  if (address === undefined) return {};
  const place = directory === undefined ? {} : { directory };
  return { repository: { type: "git", url: `git+${address}.git`, ...place } };
}

/** Writes the package into a folder, which is emptied first. Returns what it is made of. */
export async function stage(folder, address) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const template = join(root, "release/gatehouse");
  const manifest = JSON.parse(readFileSync(join(template, "package.json"), "utf8"));
  for (const part of ["bin", "README.md"]) {
    cpSync(join(template, part), join(folder, part), { recursive: true });
  }
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  for (const name of COPIED) {
    const filter = (path) => !NOT_COPIED.test(path);
    cpSync(join(root, name), join(folder, name), { recursive: true, filter });
  }
  const dockerfile = join(folder, "deploy/Dockerfile");
  writeFileSync(dockerfile, packageDockerfile(readFileSync(dockerfile, "utf8")));
  const files = [...(await bundleInto(folder)), ...(await filesInsidePages())];
  cpSync(join(root, "packages/server/dist/assets"), join(folder, "dist/assets"), {
    recursive: true,
  });
  cpSync(join(root, PREBUILDS), join(folder, "dist/prebuilds"), { recursive: true });
  const packages = bundledPackages(root, files);
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write("package.json", `${JSON.stringify({ ...manifest, ...repository(address) }, null, 2)}\n`);
  write("sbom.cdx.json", `${JSON.stringify(sbomOf(manifest, packages), null, 2)}\n`);
  write("THIRD-PARTY-LICENSES.txt", licenceTexts(packages));
  return { manifest, packages };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("name the folder to put the package into");
  const { packages } = await stage(folder);
  console.log(`${folder}: ${packages.length} packages inside, no dependencies`);
}
