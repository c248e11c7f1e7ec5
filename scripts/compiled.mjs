// Tells whether the packages are compiled from the sources that are there.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** File with the hash of the sources that the packages were last compiled from. */
export const marker = join(root, "node_modules/.cache/compiled");

/** True if the packages were compiled from the current sources. */
export function isCompiled() {
  const isThere = packages().every((name) => existsSync(join(root, "packages", name, "dist")));
  return isThere && existsSync(marker) && readFileSync(marker, "utf8") === sourceHash();
}

const packages = () => readdirSync(join(root, "packages")).sort();

/** Returns a hash of the sources' paths and contents. Their times do not count: packing changes and restores them. */
export function sourceHash() {
  const hash = createHash("sha256");
  for (const name of packages())
    for (const file of filesIn(join(root, "packages", name, "src")))
      hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    // Test support is not compiled.
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(folder, "testing")))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
