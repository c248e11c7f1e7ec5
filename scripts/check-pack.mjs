// Packs every publishable package as it would be published, and checks what a consumer would get: the same bytes each time,
// publint on the layout, attw on the types, and an install of the tarballs that runs the library.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
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

/** Compiles a program that imports every entry, together with all types of the packages. */
const compileConsumer = (entries) => {
  const imports = entries.map((name, i) => `import * as entry${i} from "${name}";\nvoid entry${i};\n`);
  writeFileSync(join(shelf, "consumer.mts"), imports.join(""));
  const options = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--skipLibCheck",
    "false",
  ];
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
  run("tsc", [...options, ...types, "consumer.mts"], shelf);
};

const shelf = mkdtempSync(join(tmpdir(), "cadastre-pack-"));
try {
  pnpm(["-r", "--filter", "./packages/*", "build"], root);
  const scope = join(shelf, "node_modules", "@cadastre");
  mkdirSync(scope, { recursive: true });
  for (const { folder, manifest } of packages) {
    const tarball = join(shelf, `${manifest.name.split("/")[1]}.tgz`);
    const hash = pack(folder, tarball);
    if (whileTouched(folder, () => pack(folder, join(shelf, "again.tgz"))) !== hash)
      throw new Error(`${manifest.name}: packing it twice does not give the same bytes`);
    run("publint", ["run", tarball, "--strict"], folder);
    run("attw", [tarball, "--profile", "esm-only"], folder);
    const installed = join(scope, manifest.name.split("/")[1]);
    mkdirSync(installed);
    run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"], shelf);
    // Third-party dependencies as pnpm installed them; neighbours come from their own tarballs.
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      if (name.startsWith("@cadastre/")) continue;
      const place = join(installed, "node_modules", name);
      mkdirSync(join(place, ".."), { recursive: true });
      symlinkSync(join(folder, "node_modules", name), place, "junction");
    }
  }
  const entries = packages.flatMap(({ manifest }) => entryPoints(join(shelf, "node_modules", manifest.name)));
  const names = JSON.stringify(entries);
  const stripped = packages.flatMap(({ manifest }) =>
    strippedNames(join(shelf, "node_modules", manifest.name)),
  );
  if (stripped.length === 0) throw new Error("found nothing marked as internal: is the pattern right?");
  compileConsumer(entries);
  writeFileSync(join(shelf, "import.mjs"), `for (const name of ${names}) await import(name);\n`);
  writeFileSync(join(shelf, "require.cjs"), `for (const name of ${names}) require(name);\n`);
  run(process.execPath, ["import.mjs"], shelf);
  run(process.execPath, ["require.cjs"], shelf);
  // What npm does with the commands of a package.
  const bins = join(shelf, "node_modules", ".bin");
  mkdirSync(bins);
  for (const { manifest } of packages)
    for (const [command, file] of Object.entries(manifest.publishConfig?.bin ?? {})) {
      symlinkSync(join(shelf, "node_modules", manifest.name, file), join(bins, command));
      if (!run("npx", ["--no", command, "--help"], shelf).includes("Usage:"))
        throw new Error(`${command} does not say how it is used`);
    }
  console.log(
    `${stripped.length} internal names are in no type; ${packages.length} packages packed twice to the same bytes, linted, compiled against each other, imported and required, and their commands asked for help`,
  );
} finally {
  rmSync(shelf, { recursive: true, force: true });
}
