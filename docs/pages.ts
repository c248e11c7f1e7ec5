import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The pages that readers find, as paths from the root. What `npm run docs` writes is no part of them. */
export const pages: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).flatMap((name) =>
    name.endsWith(".md") && !name.startsWith("api/") ? [join("docs", name)] : [],
  ),
  ...["packages", "examples"].flatMap((folder) =>
    readdirSync(folder)
      .map((name) => join(folder, name, "README.md"))
      .filter((page) => existsSync(page)),
  ),
];
