import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const scope = "@reso-standards";
const version = "0.10.6";

/** Packages that the tool needs and npm does not have, with the module that stands in for each, and what is not exercised with it. */
const missing = {
  "reso-metadata-utils": {
    standIn: "metadata-utils.mjs",
    lacks:
      "RESO's semantic check of `$metadata`: the XSD is checked, and names and types by the steps after it",
  },
  "odata-expression-parser": {
    standIn: "expression-parser.mjs",
    lacks: "the client's own check of the queries that it sends",
  },
};

/**
 * Installs RESO's certification tool into a folder, without its scripts. What npm lacks is taken from a checkout of RESO's `reso-tools`, if one is
 * given and has it built, else from the stand-ins beside this module.
 *
 * @param {string} folder
 * @param {string | undefined} source a checkout of `reso-tools`
 * @returns {{ program: string, version: string, lacks: readonly string[] }}
 */
export function installTool(folder, source) {
  mkdirSync(folder, { recursive: true });
  const lacks = [];
  const dependencies = { [`${scope}/reso-certification`]: version };
  for (const [name, { standIn, lacks: what }] of Object.entries(missing)) {
    const own = source === undefined ? undefined : join(source, name);
    if (own !== undefined && existsSync(join(own, "dist"))) {
      dependencies[`${scope}/${name}`] = `file:${own}`;
      continue;
    }
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    cpSync(fileURLToPath(new URL(standIn, import.meta.url)), join(place, "index.mjs"));
    const manifest = { name: `${scope}/${name}`, version: "0.1.0", type: "module", exports: "./index.mjs" };
    writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
    dependencies[`${scope}/${name}`] = `file:./${name}`;
    lacks.push(`${name} is not on npm, and a stand-in takes its place. Not exercised is ${what}`);
  }
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies }),
  );
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["install", ...options], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`npm could not install ${scope}/reso-certification ${version}`);
  const installed = join(folder, "node_modules", scope, "reso-certification");
  return {
    program: join(installed, "dist/cli/index.js"),
    version: JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).version,
    lacks,
  };
}
