// Replaces the compiled `start.js` and `cli/main.js` of the service by a bundle, which loads in a third of the time: as compiled, a start reads
// 1,800 modules, and a command some 900.
//   node bundle-service.mjs <folder of the compiled package>
// It contains the packages of this repository and the libraries that each start needs: in `chunks` what it loads, in `programs` what its
// threads and child processes run. Stacks name functions as in the sources; with `node --enable-source-maps` also their files.
// `main.js` stays as compiled, for programs that look at or change single modules.
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { licensesOf, licenseTexts } from "./licenses.mjs";

const folder = resolve(process.argv[2]);
const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** Libraries that are loaded as installed: with native code or files of their own, or large and loaded on demand. */
const installed = [
  "@aws-sdk/client-s3",
  "@aws-sdk/client-sts",
  "@duckdb/node-api",
  "@inquirer/input",
  "@modelcontextprotocol/sdk",
  "better-sqlite3",
  "pg",
  "pino",
  "swagger-ui-dist",
];

/** Drivers and extensions that libraries would load if they were asked to, and that are not installed. */
const absent = ["mariadb", "mysql", "mysql2", "oracledb", "pg-query-stream", "sqlite3", "tedious"];

const isExternal = (id) => [...installed, ...absent].some((name) => id === name || id.startsWith(`${name}/`));

/** Returns the package of this repository that a compiled module belongs to, and its path in the package. */
function placeOf(id) {
  if (!id.startsWith(packages)) return undefined;
  const [name, ...path] = id.slice(packages.length).split(sep);
  return path[0] === "dist" ? { name, path: path.slice(1).join("/") } : undefined;
}

/** Code for the URL of a file of a package, wherever that is installed. */
const urlIn = (name, path) =>
  `new URL(${JSON.stringify(path)}, import.meta.resolve("@cadastre/${name}/package.json"))`;

/** Lets modules find their files from within a bundle, and bundles the programs that they start. */
const ownUrls = {
  name: "own-urls",
  enforce: "pre",
  transform(code, id) {
    const place = placeOf(id);
    if (place === undefined || !code.includes("import.meta.url")) return undefined;
    return code
      .replace(/new URL\("\.\/([\w-]+\.js)", import\.meta\.url\)/g, (_, file) => {
        const program = join(id, "..", file);
        const { name, path } = placeOf(program);
        const fileName = `programs/${name}/${path}`;
        this.emitFile({ type: "chunk", id: program, fileName });
        return urlIn("service", `dist/${fileName}`);
      })
      .replaceAll("import.meta.url", `${urlIn(place.name, `dist/${place.path}`)}.href`);
  },
};

for (const name of ["chunks", "programs"]) rmSync(join(folder, name), { recursive: true, force: true });
const { output } = await build({
  configFile: false,
  logLevel: "error",
  plugins: [ownUrls],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: folder,
    emptyOutDir: false,
    minify: false,
    sourcemap: true,
    target: "es2023",
    rolldownOptions: {
      input: { start: join(folder, "start.js"), "cli/main": join(folder, "cli/main.js") },
      external: isExternal,
      output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" },
    },
  },
});

const chunks = output.filter(({ type }) => type === "chunk");

// A program waits for what it loads on demand. That must not wait for the program.
for (const { fileName, imports } of chunks)
  for (const name of imports)
    if (/(?:^|\/)(?:start|main)\.js$/.test(name))
      throw new Error(`${fileName} imports ${name}, which waits for it`);

const libraries = chunks
  .flatMap(({ moduleIds }) => moduleIds)
  .filter((id) => id.includes(`${sep}node_modules${sep}`) && !id.startsWith("\0"));
writeFileSync(join(folder, "start.LICENSE.txt"), licenseTexts(licensesOf(libraries)));
