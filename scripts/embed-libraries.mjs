// Replaces compiled modules that load a library on demand by modules that contain the parts of it in use, with those of its
// dependencies:
//   node embed-libraries.mjs <folder of the compiled package>
// Bundlers see embedded code, and it runs when it is first needed. As installed, the libraries take long to load: chevrotain is 700 modules, which take
// half a second.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { licensesOf, licenseTexts } from "./licenses.mjs";

const [folder] = process.argv.slice(2);

const libraries = [
  {
    module: "syntax/grammar/chevrotain",
    library: "chevrotain",
    load: "loadChevrotain",
    names: [
      "EmbeddedActionsParser",
      "Lexer",
      "MismatchedTokenException",
      "NotAllInputParsedException",
      "createToken",
    ],
  },
  { module: "functions/re2js", library: "re2js", load: "loadRe2js", names: ["RE2JS"] },
  {
    module: "geodesy/geographiclib",
    library: "geographiclib-geodesic",
    load: "loadGeographicLib",
    names: ["Geodesic"],
  },
];

/** Bundles parts of a library; returns the code of a variable `library` with these parts, and the files it is made of. */
async function bundle(library, names) {
  const entry = "parts-in-use";
  const code = `export { ${names.join(", ")} } from "${library}";`;
  const [{ output }] = await build({
    configFile: false,
    logLevel: "error",
    plugins: [
      {
        name: "entry",
        enforce: "pre",
        resolveId: (id) => (id.endsWith(entry) ? `\0${entry}` : undefined),
        load: (id) => (id === `\0${entry}` ? code : undefined),
      },
    ],
    build: {
      lib: { entry, formats: ["iife"], name: "library" },
      write: false,
      minify: true,
      target: "es2023",
      rolldownOptions: { output: { comments: false } },
    },
  });
  const [chunk] = output;
  return { code: chunk.code.trim(), files: chunk.moduleIds.filter((id) => !id.startsWith("\0")) };
}

for (const { module, library, load, names } of libraries) {
  const { code, files } = await bundle(library, names);
  const packages = licensesOf(files);
  writeFileSync(join(folder, `${module}.LICENSE.txt`), licenseTexts(packages));
  writeFileSync(
    join(folder, `${module}.js`),
    `/*! Contains parts of ${packages.map(({ title }) => title).join(", ")} */
let loaded;

function create() {
${code}
return library;
}

export function ${load}() {
  loaded ??= create();
  return loaded;
}
`,
  );
  // It describes the module that was replaced.
  rmSync(join(folder, `${module}.js.map`), { force: true });
}
