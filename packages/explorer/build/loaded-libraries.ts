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

/**
 * Replaces modules that need `require` by ones that fetch the library when it is first needed, as `scripts/bundle-editor.mjs` does with the
 * compiled ones.
 */
export const loadedLibraries: Plugin = {
  name: "loaded-libraries",
  enforce: "pre",
  load(id) {
    const path = id.replaceAll("\\", "/");
    const found = modules.find(({ end }) => path.endsWith(end));
    if (found === undefined) return undefined;
    const onDemand = JSON.stringify(`${path.slice(0, -found.end.length)}/odata/src/editor/on-demand.ts`);
    return [
      `import { loadedOnDemand } from ${onDemand};`,
      `export const ${found.load} = loadedOnDemand(() => import("${found.library}"));`,
    ].join("\n");
  },
};
