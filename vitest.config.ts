import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { configDefaults, defineConfig } from "vitest/config";
import { leftOutOnPostgres } from "./packages/service/test/support/postgres-suite.ts";
import { isCompiled } from "./scripts/compiled.mjs";

const packages = fileURLToPath(new URL("./packages/", import.meta.url));

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

// Tests read the neighbours' source, not their build: an edit is seen at once and no build is needed. Of others they read what
// Node.js does: what is meant for bundlers (`module`) need not run.
const conditions = ["node", "default"];
const alias = readdirSync(packages).flatMap((folder) => {
  const { name, exports } = JSON.parse(readFileSync(`${packages}${folder}/package.json`, "utf8")) as {
    readonly name: string;
    readonly exports: Exports;
  };
  return Object.entries(exports).flatMap(([entry, target]) => {
    const source = typeof target === "string" ? undefined : target["@cadastre/source"];
    const find = new RegExp(`^${name}${entry.slice(1)}$`);
    return source === undefined ? [] : [{ find, replacement: `${packages}${folder}/${source}` }];
  });
});

// Threads and processes that the packages start run what is compiled, if it is of this source: from source each takes four times as
// long to start, and tests start hundreds. Where tests are watched, the source changes under them.
const startsCompiled = process.argv.includes("run") && isCompiled();

/**
 * Has a module find the program beside it that it starts, `new URL("./program.js", import.meta.url)`, where that is compiled: in the service's
 * bundle, if that has it, for a thread starts in a third of the time there.
 */
const compiledPrograms: Plugin = {
  name: "compiled-programs",
  enforce: "pre",
  transform(code, id) {
    const [, name, folder] = /\/packages\/(\w+)\/src\/((?:.*\/)?)[^/]+\.ts$/.exec(id) ?? [];
    if (!startsCompiled || folder === undefined) return undefined;
    return code.replaceAll(/new URL\("\.\/([\w-]+\.js)", import\.meta\.url\)/g, (_, file) => {
      const bundled = `${packages}service/dist/programs/${name}/${folder}${file}`;
      const compiled = existsSync(bundled) ? bundled : `${packages}${name}/dist/${folder}${file}`;
      return `new URL(${JSON.stringify(pathToFileURL(compiled))})`;
    });
  },
};

// Property tests try the same cases in every run, so that a run fails because of a change and not by chance. `SEED=random` tries others.
const { SEED = "1" } = process.env;
const seed = SEED === "random" ? String(Math.floor(Math.random() * 2 ** 31)) : SEED;
if (SEED === "random") console.info(`SEED=${seed}`);

/** Services of tests run on PostgreSQL in place of SQLite. */
const onPostgres = process.env["DATABASE"] === "postgres";
const leftOut = onPostgres
  ? Object.keys(leftOutOnPostgres).map((pattern) => `packages/service/test/${pattern}`)
  : [];

export default defineConfig({
  plugins: [compiledPrograms],
  resolve: { conditions, alias },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    // Threads that are not compiled run the source.
    execArgv: startsCompiled ? [] : ["--conditions=@cadastre/source", "--import", "./scripts/source.mjs"],
    include: ["packages/*/test/**/*.test.ts", "examples/*/*.test.ts", "docs/*.test.ts"],
    // One more than there are cores: every other file waits for a database or a program.
    maxWorkers: availableParallelism() + 1,
    // Files share their imports, which are half of what a short file takes: what one changes of the process it puts back.
    isolate: false,
    env: { SEED: seed },
    exclude: [...configDefaults.exclude, ...leftOut],
    globalSetup: onPostgres ? ["./packages/service/test/support/postgres-server.ts"] : [],
    setupFiles: ["./scripts/seed.mjs"],
    // For what has no bound of its own: a machine that runs all files at once, and others beside them, may take a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
