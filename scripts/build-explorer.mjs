// Builds the page at / (packages/explorer) when it is not built yet, or when its sources, those of @cadastre/odata or the lock file have
// changed since.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const explorer = `${root}packages/explorer/`;
const stamp = `${root}node_modules/.cadastre-explorer-built`;

const sources = [
  "pnpm-lock.yaml",
  ...["packages/explorer/index.html", "packages/explorer/package.json", "packages/explorer/vite.config.ts"],
  ...["packages/explorer/build", "packages/explorer/src", "packages/odata/src"].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter((path) => statSync(`${root}${path}`).isFile()),
  ),
].toSorted();

const hash = createHash("sha256");
for (const path of sources) {
  hash.update(`${path}\0`);
  hash.update(
    createHash("sha256")
      .update(readFileSync(`${root}${path}`))
      .digest(),
  );
}
const wanted = hash.digest("hex");

const isBuilt = existsSync(`${explorer}dist/index.html`) && existsSync(stamp);
if (!isBuilt || readFileSync(stamp, "utf8") !== wanted) {
  const started = Date.now();
  const { build } = await import("vite");
  await build({ configFile: `${explorer}vite.config.ts`, logLevel: "error" });
  writeFileSync(stamp, wanted);
  console.log(`Built the page in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}
