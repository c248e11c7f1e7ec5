import type { Plugin } from "vite";

/** Modules of `@cadastre/odata` that load a library by name in Node.js, with what each one exports. */
const modules: readonly { readonly end: string; readonly load: string; readonly library: string }[] = [
  { end: "/odata/src/syntax/grammar/chevrotain.ts", load: "loadChevrotain", library: "chevrotain" },
  { end: "/odata/src/functions/re2js.ts", load: "loadRe2js", library: "re2js" },
  {
    end: "/odata/src/geodesy/geographiclib.ts",
    load: "loadGeographicLib",
    library: "geographiclib-geodesic",
  },
];

/** Replaces modules that need `require` by imports, as `scripts/embed-libraries.mjs` does with the compiled ones. */
export const loadedLibraries: Plugin = {
  name: "loaded-libraries",
  enforce: "pre",
  load(id) {
    const found = modules.find(({ end }) => id.replaceAll("\\", "/").endsWith(end));
    return (
      found && `import * as library from "${found.library}";\nexport const ${found.load} = () => library;\n`
    );
  },
};
