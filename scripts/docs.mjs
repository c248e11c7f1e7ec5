// Builds the website to website/dist: the TypeScript API by typedoc, then all pages by VitePress, whose packages it installs when they are not
// installed yet, or when their lock file has changed since. `-- --serve` serves it while pages are written.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const website = `${root}website`;
const stamp = `${website}/node_modules/.cadastre-installed`;
const wanted = createHash("sha256")
  .update(readFileSync(`${website}/package-lock.json`))
  .digest("hex");
const shell = process.platform === "win32";

/** Runs a program to its end. If it fails, so does this one. */
function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: "inherit", shell });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], website);
  writeFileSync(stamp, wanted);
}

const started = Date.now();
rmSync(`${root}docs/api`, { recursive: true, force: true });
run("npm", ["run", "--silent", "docs:api"], root);
run("npm", ["run", "--silent", process.argv.includes("--serve") ? "start" : "build"], website);
console.log(`Built website/dist in ${Math.round((Date.now() - started) / 1000)} s.`);
