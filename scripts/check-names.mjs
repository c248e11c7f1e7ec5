// Refuses an exported name that two source files declare: one name has one meaning in the whole repository.
import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm;

const sources = readdirSync(packages).flatMap((name) =>
  readdirSync(`${packages}${name}/src`, { recursive: true })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `${packages}${name}/src/${path}`),
);

const filesByName = new Map();
for (const file of sources) {
  // The overloads of a function share its name.
  const names = new Set(Array.from(readFileSync(file, "utf8").matchAll(declaration), ([, name]) => name));
  for (const name of names)
    filesByName.set(name, [...(filesByName.get(name) ?? []), relative(packages, file)]);
}

const repeated = [...filesByName].filter(([, files]) => files.length > 1);
for (const [name, files] of repeated)
  console.error(`\`${name}\` is declared in ${files.join(" and ")}: rename one`);
if (filesByName.size < 1000)
  throw new Error(`found only ${filesByName.size} exported names: is the pattern right?`);
console.log(`${filesByName.size} exported names, ${repeated.length} declared more than once`);
process.exitCode = repeated.length > 0 ? 1 : 0;
