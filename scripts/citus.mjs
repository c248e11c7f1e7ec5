// Runs the store's conformance suite on Citus: a coordinator and two workers, which it starts. Citus is not part of the project, so the
// folder of the programs of a PostgreSQL that has it installed is given: `npm run citus -- <folder>`, or `CITUS_BIN=<folder>`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const given = process.argv[2] ?? process.env.CITUS_BIN;
if (given === undefined)
  fail(
    "Citus is not installed by this project: its license is the AGPL, and Debian has no package of it.",
    "Install Citus 13 into a PostgreSQL as its documentation says, then name the folder of the server's programs:",
    "  npm run citus -- /usr/lib/postgresql/15/bin",
  );
const programs = resolve(given);
for (const program of ["initdb", "postgres"])
  if (!existsSync(join(programs, program)))
    fail(`${join(programs, program)} is missing: name the folder of a PostgreSQL server's programs`);
const libraries = ["../lib", "../lib/postgresql"].map((folder) => join(programs, folder));
if (!libraries.some((folder) => existsSync(join(folder, "citus.so"))))
  fail(`${libraries[0]} has no citus.so: install Citus into this PostgreSQL first`);

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = join(root, "node_modules/.bin/vitest");
const suite = ["run", "packages/store/test/citus.test.ts", ...process.argv.slice(3)];
const env = { ...process.env, CITUS: "required", POSTGRES_BIN: programs };
process.exit(spawnSync(vitest, suite, { cwd: root, env, stdio: "inherit" }).status ?? 1);

/** @param {readonly string[]} lines */
function fail(...lines) {
  console.error(lines.join("\n"));
  process.exit(2);
}
