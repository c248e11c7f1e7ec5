// Packs every publishable package as it would be published, and checks what a consumer would get: the same bytes each time,
// publint on the layout, attw on the types; and, installed by npm in an empty folder, types for several compilers, ranges of peers that can
// be satisfied, and code that runs imported, required and bundled, on several versions of Node and in a browser.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundlers, checkBundles, measureBundles } from "./packed/bundles.mjs";
import { checkPeers, installIn } from "./packed/install.mjs";
import { run as runBeside } from "./packed/run.mjs";
import { checkTypes, compilers } from "./packed/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

const run = (command, args, cwd) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status === 0) return stdout;
  process.stdout.write(stdout + stderr);
  console.error(`${command} ${args.join(" ")} failed in ${cwd}`);
  process.exit(1);
};
const pnpm = (args, cwd) => run("npx", ["-y", packageManager, ...args], cwd);

const packages = readdirSync(`${root}packages`)
  .map((folder) => join(root, "packages", folder))
  .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
  .filter(({ manifest }) => !manifest.private);

/** Every name that a consumer may import as code: the package and its subpaths. Test support must not be among them. */
const entryPoints = (installed) => {
  const { name, exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const found = readdirSync(installed, { recursive: true }).filter((file) =>
    /^(src|dist).testing\b/.test(file),
  );
  if ("./testing" in exports || found.length > 0) throw new Error(`${name}: test support is packed`);
  return Object.keys(exports)
    .filter((path) => !path.endsWith(".json"))
    .map((path) => name + path.slice(1));
};

/** Packs a package and returns the SHA-256 of the tarball. */
const pack = (folder, tarball) => {
  pnpm(["pack", "--out", tarball], folder);
  return createHash("sha256").update(readFileSync(tarball)).digest("hex");
};

/** Runs `work` while all files of a folder have another time of modification. */
const whileTouched = (folder, work) => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, stat: statSync(file) }));
  for (const { file } of files) utimesSync(file, 1_000_000_000, 1_000_000_000);
  try {
    return work();
  } finally {
    for (const { file, stat } of files) utimesSync(file, stat.atime, stat.mtime);
  }
};

const internalNames = /@internal\b[\s\S]*?\*\/\s*(?:export )?(?:readonly |const |function |type )*(\w+)/g;

/** Returns the names that the sources of a package mark as internal, and requires that its types do not show them. */
const strippedNames = (installed) =>
  readdirSync(join(installed, "src"), { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const types = readFileSync(join(installed, "dist", file.replace(/ts$/, "d.ts")), "utf8");
      const names = [...readFileSync(join(installed, "src", file), "utf8").matchAll(internalNames)].map(
        ([, name]) => name,
      );
      for (const name of names)
        if (new RegExp(`(?:const|function|type|class|readonly) ${name}\\b`).test(types))
          throw new Error(`${installed}: the types of ${file} show the internal \`${name}\``);
      return names;
    });

/** Versions of Node beside the one that runs this, as npm has them. */
const otherNodes = ["22", "24"];

/** Imports and requires all entries on other versions of Node; returns those that could be had. */
async function runOnOtherNodes(folder) {
  const found = [];
  for (const version of otherNodes) {
    const node = ["-y", `node@${version}`];
    const printed = await runBeside("npx", [...node, "--version"], folder).catch(() => "");
    if (!printed.startsWith(`v${version}.`)) {
      console.log(`Node ${version} could not be had: skipped`);
      continue;
    }
    for (const program of ["import.mjs", "require.cjs"]) await runBeside("npx", [...node, program], folder);
    found.push(printed.trim());
  }
  return found;
}

/** Links the peers, some of which npm would compile, as pnpm installed them. */
const linkPeers = (modules) => {
  for (const { folder, manifest } of packages)
    for (const name of Object.keys(manifest.peerDependencies ?? {})) {
      const place = join(modules, name);
      mkdirSync(join(place, ".."), { recursive: true });
      if (!existsSync(place)) symlinkSync(join(folder, "node_modules", name), place, "junction");
    }
};

/** Requires that npm can install each package beside its peers. */
async function checkAllPeers(tarballOf) {
  const manifests = new Map(packages.map(({ manifest }) => [manifest.name, manifest]));
  const found = new Set();
  for (const { manifest } of packages.filter((one) => one.manifest.peerDependencies !== undefined)) {
    const folder = join(shelf, `peers-of-${manifest.name.split("/")[1]}`);
    for (const peer of await checkPeers(folder, manifest.name, manifests, tarballOf)) found.add(peer);
  }
  told(`npm can install them beside ${[...found].join(", ")}`);
}

/** Checks the layout and the types of a tarball. */
const lint = (folder, tarball) =>
  Promise.all([
    runBeside("publint", ["run", tarball, "--strict"], folder),
    runBeside("attw", [tarball, "--profile", "esm-only"], folder),
  ]);

const started = Date.now();
const told = (sentence) => console.log(`${((Date.now() - started) / 1000).toFixed(0)} s: ${sentence}`);

const shelf = mkdtempSync(join(tmpdir(), "cadastre-pack-"));
try {
  pnpm(["-r", "--filter", "./packages/*", "build"], root);
  const tarballOf = (name) => join(shelf, `${name.split("/")[1]}.tgz`);
  const linted = [];
  const tarballs = packages.map(({ folder, manifest }) => {
    const tarball = tarballOf(manifest.name);
    const hash = pack(folder, tarball);
    if (whileTouched(folder, () => pack(folder, join(shelf, "again.tgz"))) !== hash)
      throw new Error(`${manifest.name}: packing it twice does not give the same bytes`);
    linted.push(lint(folder, tarball));
    return tarball;
  });
  await Promise.all(linted);
  told(`${packages.length} packages packed twice to the same bytes, and linted`);

  const [all, alone, tools] = ["all", "alone", "tools"].map((name) => join(shelf, name));
  const aliases = Object.entries(compilers).map(([alias, version]) => `${alias}@npm:typescript@${version}`);
  await Promise.all([
    installIn(all, tarballs),
    installIn(alone, [tarballOf("@cadastre/odata")]),
    installIn(tools, [...aliases, ...bundlers, "@types/node@20"]),
  ]);
  const modules = join(all, "node_modules");
  const entriesOf = packages.map(({ manifest }) => entryPoints(join(modules, manifest.name)));
  const entries = entriesOf.flat();
  const stripped = packages.flatMap(({ manifest }) => strippedNames(join(modules, manifest.name)));
  if (stripped.length === 0) throw new Error("found nothing marked as internal: is the pattern right?");
  told(`installed by npm; ${stripped.length} internal names are in no type`);

  // The types of a portable entry need none of Node, and no package that only others of the workspace bring. The editor's peers are beside
  // `all` only.
  const portable = entries.filter((name) => /^@cadastre\/odata(?!\/(?:paging|run|editor)$)/.test(name));
  const runAll = async () => {
    linkPeers(modules);
    const names = JSON.stringify(entries);
    writeFileSync(join(all, "import.mjs"), `for (const name of ${names}) await import(name);\n`);
    writeFileSync(join(all, "require.cjs"), `for (const name of ${names}) require(name);\n`);
    for (const program of ["import.mjs", "require.cjs"]) await runBeside(process.execPath, [program], all);
    for (const { manifest } of packages)
      for (const command of Object.keys(manifest.publishConfig?.bin ?? {}))
        if (!(await runBeside("npx", ["--no", command, "--help"], all)).includes("Usage:"))
          throw new Error(`${command} does not say how it is used`);
    const nodes = [process.version, ...(await runOnOtherNodes(all))];
    told(`imported and required on Node ${nodes.join(", ")}, and their commands asked for help`);
  };
  const compileAll = async () => {
    const inPages = entries.filter((name) => name === "@cadastre/odata/editor");
    const others = entries.filter((name) => !inPages.includes(name));
    const ways = await checkTypes(all, others, tools, ["node"]);
    await checkTypes(all, inPages, tools, []);
    await checkTypes(alone, portable, tools, []);
    told(`their types, and those of what they import, compile in ${ways} ways`);
  };
  const bundleAll = async () => told(await checkBundles(alone, tools));
  await Promise.all([checkAllPeers(tarballOf), runAll(), compileAll(), bundleAll()]);
  console.log(`\n${await measureBundles(alone, tools)}`);
} finally {
  rmSync(shelf, { recursive: true, force: true });
}
