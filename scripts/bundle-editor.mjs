// Makes one file of the compiled editor, beside files of the libraries that it loads when they are first needed:
//   node bundle-editor.mjs <folder of the compiled package>
// An editor in a page starts sooner so: the libraries are two thirds of it, and few filters need them.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";

const [folder] = process.argv.slice(2);
const editor = resolve(folder, "editor");

/** Compiled modules with an embedded library, and what each exports. */
const libraries = {
  "syntax/grammar/chevrotain.js": "loadChevrotain",
  "functions/re2js.js": "loadRe2js",
  "geodesy/geographiclib.js": "loadGeographicLib",
};

const embedded = "?embedded";

const onDemand = {
  name: "on-demand",
  enforce: "pre",
  resolveId: (id) => (id.endsWith(embedded) ? id : undefined),
  load(id) {
    if (id.endsWith(embedded)) return this.fs.readFile(id.slice(0, -embedded.length), { encoding: "utf8" });
    const file = Object.keys(libraries).find((end) => id === join(resolve(folder), end));
    if (file === undefined) return undefined;
    const name = libraries[file];
    return [
      `import { loadedOnDemand } from ${JSON.stringify(join(editor, "on-demand.js"))};`,
      `export const ${name} = loadedOnDemand(async () => (await import(${JSON.stringify(id + embedded)})).${name}());`,
    ].join("\n");
  },
};

const [{ output }] = await build({
  configFile: false,
  logLevel: "error",
  plugins: [onDemand],
  build: {
    lib: { entry: join(editor, "index.js"), formats: ["es"] },
    write: false,
    minify: false,
    target: "es2023",
    rolldownOptions: {
      external: /^(?:@codemirror\/|@lezer\/|big\.js$)/,
      output: { entryFileNames: "index.js", chunkFileNames: "[name].js" },
    },
  },
});
for (const file of readdirSync(editor)) {
  if (/\.js(?:\.map)?$/.test(file)) rmSync(join(editor, file));
}
for (const { fileName, code } of output) writeFileSync(join(editor, fileName), code);
