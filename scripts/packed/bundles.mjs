import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { run } from "./run.mjs";

const programs = fileURLToPath(new URL("programs", import.meta.url));

/** Packages with the bundlers, in versions that Node 20 runs. */
export const bundlers = [
  "esbuild@0.28.2",
  "rollup@4.68.8",
  "@rollup/plugin-commonjs@29.0.3",
  "@rollup/plugin-node-resolve@16.0.3",
];

/** Greatest sizes of what a user bundles, minified, by gzip, in bytes. */
const budgets = {
  "`parseFilter`": { program: `export { parseFilter } from "@cadastre/odata";`, most: 64_000 },
  "`@cadastre/odata`": { program: `export * from "@cadastre/odata";`, most: 180_000 },
  "`@cadastre/odata/csdl`": { program: `export * from "@cadastre/odata/csdl";`, most: 7000 },
  "`@cadastre/odata/editor`": {
    program: `export { filterEditor } from "@cadastre/odata/editor";`,
    most: 60_000,
    external: ["@codemirror/*", "@lezer/*"],
  },
  "`@cadastre/odata/sqlite`": { program: `export * from "@cadastre/odata/sqlite";`, most: 90_000 },
};

async function loadBundlers(tools) {
  const { resolve } = createRequire(join(tools, "package.json"));
  const load = (name) => import(pathToFileURL(resolve(name)));
  const [esbuild, rollup, commonjs, nodeResolve] = await Promise.all(
    ["esbuild", "rollup", "@rollup/plugin-commonjs", "@rollup/plugin-node-resolve"].map(load),
  );
  return { esbuild, rollup, commonjs: commonjs.default, nodeResolve: nodeResolve.default };
}

/**
 * Bundles programs that use the package in `folder`, and runs the bundles where nothing but them can be imported.
 *
 * @returns a sentence that tells what was done
 */
export async function checkBundles(folder, tools) {
  const bundling = await loadBundlers(tools);
  for (const file of readdirSync(programs)) copyFileSync(join(programs, file), join(folder, file));
  const place = mkdtempSync(join(tmpdir(), "cadastre-bundles-"));
  try {
    const files = [
      ...(await bundleByEsbuild(bundling, folder, place)),
      ...(await bundleByRollup(bundling, folder, place)),
    ];
    for (const file of files) {
      const said = await run(process.execPath, [file], place);
      if (!/^\d+ parts work\n$/.test(said)) throw new Error(`the bundle ${file}:\n${said}`);
    }
    return `${files.length} bundles of esbuild and rollup run in Node, ${await runInBrowser(place)}`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function bundleByEsbuild({ esbuild }, folder, place) {
  const files = [];
  for (const [format, extension] of [
    ["esm", "mjs"],
    ["cjs", "cjs"],
  ])
    for (const minify of [false, true]) {
      const outfile = join(place, `esbuild${minify ? "-minified" : ""}.${extension}`);
      const entry = {
        entryPoints: [join(folder, "node.mjs")],
        bundle: true,
        platform: "node",
        target: "node20",
      };
      await esbuild.build({
        ...entry,
        format,
        minify,
        outfile,
        logLevel: "error",
        logOverride: warningsAsErrors,
      });
      files.push(outfile);
    }
  // Whatever is imported from Node cannot be resolved for browsers, and fails.
  const entry = { entryPoints: [join(folder, "universal.mjs")], bundle: true, platform: "browser" };
  const outfile = join(place, "browser.js");
  await esbuild.build({
    ...entry,
    format: "iife",
    minify: true,
    outfile,
    logLevel: "error",
    logOverride: warningsAsErrors,
  });
  return files;
}

/** What esbuild only warns of makes a bundle that fails when it runs. */
const warningsAsErrors = {
  "empty-import-meta": "error",
  "unsupported-dynamic-import": "error",
  "unsupported-require-call": "error",
  "indirect-require": "error",
};

async function bundleByRollup({ rollup, commonjs, nodeResolve }, folder, place) {
  const bundle = await rollup.rollup({
    input: join(folder, "node.mjs"),
    plugins: [nodeResolve({ preferBuiltins: true }), commonjs()],
    external: /^node:/,
    onwarn: ({ code, message }) => {
      if (code === "UNRESOLVED_IMPORT" || code === "MISSING_EXPORT") throw new Error(message);
    },
  });
  const files = [
    { format: "es", file: join(place, "rollup.mjs") },
    { format: "cjs", file: join(place, "rollup.cjs") },
  ];
  for (const { format, file } of files) await bundle.write({ format, file, inlineDynamicImports: true });
  await bundle.close();
  return files.map(({ file }) => file);
}

const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Runs `browser.js` in a page. Without a browser it is skipped, unless `CHROMIUM=required`. */
async function runInBrowser(place) {
  const browser = browsers.find((path) => existsSync(path));
  if (browser === undefined) {
    if (process.env.CHROMIUM === "required") throw new Error("Chromium is not installed");
    return "one for browsers is made but not run: Chromium is not installed";
  }
  const page = join(place, "page.html");
  writeFileSync(page, `<!doctype html><meta charset="utf-8"><body><script src="browser.js"></script>`);
  const profile = join(place, "profile");
  mkdirSync(profile);
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, "--dump-dom"];
  const said = await run(browser, [...flags, pathToFileURL(page).href], place);
  if (!/<body>\d+ parts work<\/body>/.test(said)) throw new Error(`the bundle in a browser:\n${said}`);
  return "and one in Chromium";
}

/** Returns a table of the sizes of bundles; fails if one is greater than its budget. */
export async function measureBundles(folder, tools) {
  const { esbuild } = await loadBundlers(tools);
  const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
  const lines = ["| imported | minified, kB | gzip, kB | at most, kB |", "|---|--:|--:|--:|"];
  const tooLarge = [];
  for (const [name, { program, most, external = [] }] of Object.entries(budgets)) {
    const { outputFiles } = await esbuild.build({
      stdin: { contents: program, resolveDir: folder },
      bundle: true,
      minify: true,
      external,
      // What is loaded when it is first needed does not count.
      format: "esm",
      splitting: true,
      outdir: folder,
      platform: "neutral",
      mainFields: ["module", "main"],
      legalComments: "none",
      write: false,
      logLevel: "error",
    });
    const { contents } = outputFiles.find(({ path }) => path.endsWith("stdin.js"));
    const gzip = gzipSync(contents, { level: 9 }).length;
    lines.push(`| ${name} | ${kilobytes(contents.length)} | ${kilobytes(gzip)} | ${kilobytes(most)} |`);
    if (gzip > most) tooLarge.push(name);
  }
  const table = lines.join("\n");
  if (tooLarge.length > 0) throw new Error(`larger than its budget: ${tooLarge.join(", ")}\n${table}`);
  return table;
}
