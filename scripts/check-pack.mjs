// Packs every publishable package as it would be published, and checks what a consumer would get:
// publint on the layout, attw on the types, and an install of the tarballs that runs the library.
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
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

/** Every name that a consumer may import as code: the package and its subpaths. */
const entryPoints = ({ name, exports }) =>
  Object.keys(exports)
    .filter((path) => !path.endsWith(".json"))
    .map((path) => name + path.slice(1));

const shelf = mkdtempSync(join(tmpdir(), "cadastre-pack-"));
try {
  pnpm(["-r", "--filter", "./packages/*", "build"], root);
  const scope = join(shelf, "node_modules", "@cadastre");
  mkdirSync(scope, { recursive: true });
  for (const { folder, manifest } of packages) {
    const tarball = join(shelf, `${manifest.name.split("/")[1]}.tgz`);
    pnpm(["pack", "--out", tarball], folder);
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
  const names = JSON.stringify(packages.flatMap(({ manifest }) => entryPoints(manifest)));
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
    `${packages.length} packages packed, linted, imported and required, and their commands asked for help`,
  );
} finally {
  rmSync(shelf, { recursive: true, force: true });
}
