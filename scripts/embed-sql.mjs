// Replaces a compiled module that reads the `.sql` files in `functions/` of its source folder by one that contains their texts:
//   node embed-sql.mjs <source folder> <compiled folder>
// A bundler then needs no loader for them, and a program that was bundled reads no file.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [source, compiled] = process.argv.slice(2);
const folder = join(source, "functions");
const texts = readdirSync(folder)
  .sort()
  .map((file) => [file.replace(/\.sql$/, ""), readFileSync(join(folder, file), "utf8")]);

writeFileSync(
  join(compiled, "sql-files.js"),
  `const texts = ${JSON.stringify(Object.fromEntries(texts), null, 2)};\n\nexport const sqlFileText = (name) => texts[name];\n`,
);
// It describes the module that was replaced.
rmSync(join(compiled, "sql-files.js.map"), { force: true });
