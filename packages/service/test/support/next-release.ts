import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compilePackages } from "@cadastre/odata/testing";
import { catalogVersion } from "../../src/catalog.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Changes to the compiled catalog: a column and an index more for offices. */
const changes = [
  [`catalogVersion = ${catalogVersion};`, `catalogVersion = ${catalogVersion + 1};`],
  [
    '"ModificationTimestamp", "OfficeMlsId", "OfficeStatus"',
    '"ModificationTimestamp", "OfficeMlsId", "OfficeStatus", "OfficeName"',
  ],
  ['[[], ["OfficeKey"]', '[[], ["OfficeKey"], ["OfficeName"]'],
] as const;

/**
 * Makes a later release in an empty folder: a copy of the compiled packages with another database schema. Returns the folder of its
 * compiled service.
 */
export async function makeNextRelease(folder: string): Promise<string> {
  await compilePackages();
  const sources = join(root, "packages");
  await cp(sources, join(folder, "packages"), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/^[^/]+\/(src|test|bench)$/.test(relative(sources, path)),
  });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await cp(join(root, "package.json"), join(folder, "package.json"));
  const compiled = join(folder, "packages/service/dist");
  const catalog = join(compiled, "catalog.js");
  let text = await readFile(catalog, "utf8");
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`catalog.js does not contain ${from}`);
    text = text.replace(from, to);
  }
  await writeFile(catalog, text);
  // The bundle of the commands contains the catalog as it was: here they load the compiled modules.
  const commands = await readFile(join(root, "packages/service/src/cli/main.ts"), "utf8");
  await writeFile(join(compiled, "cli/main.js"), commands.replaceAll('.ts"', '.js"'));
  return compiled;
}
