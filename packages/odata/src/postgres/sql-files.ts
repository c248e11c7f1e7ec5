import { readFileSync } from "node:fs";

/**
 * Returns the text of a file in `functions/`. `scripts/embed-sql.mjs` replaces the compiled module by one that contains the texts, so
 * that the published package, and bundles made from it, read no files.
 */
export const sqlFileText = (name: string): string =>
  readFileSync(new URL(`./functions/${name}.sql`, import.meta.url), "utf8");
