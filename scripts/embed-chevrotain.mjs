// Replaces the compiled module that loads chevrotain by one that contains the parts of it in use, with those of its dependencies:
//   node embed-chevrotain.mjs <compiled module>
// As installed, chevrotain is 700 modules, which take half a second to load. Embedded, it is code that runs when it is first
// needed, and that bundlers see.
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vite";

const [compiled] = process.argv.slice(2);
const names = [
  "EmbeddedActionsParser",
  "Lexer",
  "MismatchedTokenException",
  "NotAllInputParsedException",
  "createToken",
];
const entry = "chevrotain-in-use";

const [{ output }] = await build({
  configFile: false,
  logLevel: "error",
  plugins: [
    {
      name: "entry",
      enforce: "pre",
      resolveId: (id) => (id.endsWith(entry) ? `\0${entry}` : undefined),
      load: (id) => (id === `\0${entry}` ? `export { ${names.join(", ")} } from "chevrotain";` : undefined),
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
const [{ code, moduleIds }] = output;

/** Returns the folder of the package that holds a file. */
const packageOf = (file) => (existsSync(join(file, "package.json")) ? file : packageOf(dirname(file)));

const folders = moduleIds
  .filter((id) => !id.startsWith("\0"))
  .map((id) => packageOf(dirname(realpathSync(id))));
const packages = [...new Set(folders)]
  .map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.txt"].map((one) => join(folder, one)).find(existsSync);
    return { title: `${name} ${version} (${license})`, text: readFileSync(file, "utf8").trim() };
  })
  .toSorted((a, b) => (a.title < b.title ? -1 : 1));

const titlesWith = (text) => packages.filter((one) => one.text === text).map(({ title }) => title);
const licenses = [...new Set(packages.map(({ text }) => text))].map(
  (text) => `${titlesWith(text).join(", ")}:\n\n${text}\n`,
);
writeFileSync(compiled.replace(/js$/, "LICENSE.txt"), licenses.join("\n\n"));

writeFileSync(
  compiled,
  `/*! Contains parts of ${packages.map(({ title }) => title).join(", ")} */
let loaded;

function load() {
${code.trim()}
return library;
}

export function loadChevrotain() {
  loaded ??= load();
  return loaded;
}
`,
);
// It describes the module that was replaced.
rmSync(`${compiled}.map`, { force: true });
