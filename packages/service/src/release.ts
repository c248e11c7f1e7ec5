import { readFileSync } from "node:fs";

const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");

/** Version of this program. */
export const { version: release } = JSON.parse(manifest) as { readonly version: string };
