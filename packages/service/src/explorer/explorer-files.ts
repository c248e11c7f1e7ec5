import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ContentCoding } from "../http/compression.ts";

/** Files of the page at `/`, as its package has built them. */
export type ExplorerFiles = {
  readonly folder: string;
  readonly index: Buffer;
  /** Files of the folder `assets` by name, each with the codings in which a compressed copy lies beside it. */
  readonly assets: ReadonlyMap<string, readonly ContentCoding[]>;
};

/** Folder of the built page in the package `@cadastre/explorer`, both in the repository and installed from a registry. */
export const explorerFolder = join(
  dirname(createRequire(import.meta.url).resolve("@cadastre/explorer/package.json")),
  "dist",
);

/** Endings of the names of compressed copies. */
export const copySuffixes: Readonly<Record<ContentCoding, string>> = { br: ".br", gzip: ".gz" };

/** Lists the files of the page. Undefined if it is not built. */
export function readExplorerFiles(folder: string): ExplorerFiles | undefined {
  let index: Buffer;
  let names: ReadonlySet<string>;
  try {
    index = readFileSync(join(folder, "index.html"));
    names = new Set(readdirSync(join(folder, "assets")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const suffixes = Object.entries(copySuffixes) as [ContentCoding, string][];
  const isCopy = (name: string) => suffixes.some(([, suffix]) => name.endsWith(suffix));
  const copiesOf = (name: string) =>
    suffixes.filter(([, suffix]) => names.has(name + suffix)).map(([coding]) => coding);
  return {
    folder,
    index,
    assets: new Map([...names].filter((name) => !isCopy(name)).map((name) => [name, copiesOf(name)])),
  };
}
