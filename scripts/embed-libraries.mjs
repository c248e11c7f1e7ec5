// Replaces compiled modules that load a library on demand by modules that contain the parts of it in use, with those of its
// dependencies:
//   node embed-libraries.mjs <folder of the compiled package>
// Bundlers see embedded code, and it runs when it is first needed. As installed, the libraries take long to load: chevrotain is 700 modules, which take
// half a second.
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vite";

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

/** Returns the folder of the package that holds a file. */
const packageOf = (place) => (existsSync(join(place, "package.json")) ? place : packageOf(dirname(place)));

/** Returns titles and license texts of the packages that hold the files. */
function licensesOf(files) {
  const folders = new Set(files.map((id) => packageOf(dirname(realpathSync(id)))));
  return [...folders]
    .map((place) => {
      const { name, version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
      const file = ["LICENSE", "LICENSE.txt"].map((one) => join(place, one)).find(existsSync);
      return { title: `${name} ${version} (${license})`, text: readFileSync(file, "utf8").trim() };
    })
    .toSorted((a, b) => (a.title < b.title ? -1 : 1));
}

for (const { module, library, load, names } of libraries) {
  const { code, files } = await bundle(library, names);
  const packages = licensesOf(files);
  const titlesWith = (text) => packages.filter((one) => one.text === text).map(({ title }) => title);
  const texts = [...new Set(packages.map(({ text }) => text))].map(
    (text) => `${titlesWith(text).join(", ")}:\n\n${text}\n`,
  );
  writeFileSync(join(folder, `${module}.LICENSE.txt`), texts.join("\n\n"));
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
