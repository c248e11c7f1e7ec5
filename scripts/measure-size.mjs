// Bundles what a user of @cadastre/odata imports, together with its dependencies, minified, and prints the sizes.
// What the library loads only when it is first needed is bundled by itself.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const root = fileURLToPath(new URL("../packages/odata", import.meta.url));
const { resolve } = createRequire(`${root}/package.json`);

/** Entry → what it is for. */
const entries = {
  "the core: parse, bind, compile, evaluate": "./src/index.ts",
  "`/csdl`": "./src/csdl/index.ts",
  "`/sqlite`, with the core's functions": "./src/sqlite/index.ts",
};

/** Loaded at the first text that the fast path does not read, the first pattern, the first geodesic. */
const lazy = ["chevrotain", "re2js", "geographiclib-geodesic"];

async function bundle(entry) {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["@cadastre/source"] },
    ssr: { noExternal: true, resolve: { conditions: ["@cadastre/source"] } },
    build: { ssr: entry, write: false, minify: true, target: "node20" },
  });
  const code = output.map((chunk) => chunk.code ?? "").join("");
  return { raw: Buffer.byteLength(code), gzip: gzipSync(code, { level: 9 }).length };
}

const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
const print = (name, { raw, gzip }) => console.log(`| ${name} | ${kilobytes(raw)} | ${kilobytes(gzip)} |`);

console.log("| entry | minified, kB | gzip, kB |\n|---|--:|--:|");
const sizes = [];
for (const [name, entry] of Object.entries(entries)) {
  const size = await bundle(entry);
  sizes.push(size);
  print(name, size);
}
const [core] = sizes;
const all = { ...core };
for (const name of lazy) {
  const size = await bundle(resolve(name));
  all.raw += size.raw;
  all.gzip += size.gzip;
  print(`\`${name}\`, when first needed`, size);
}
print("the core with all of these", all);
