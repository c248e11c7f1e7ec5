import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { helperFiles, helpersOf, postgresHelpers } from "../../src/postgres/helpers.ts";
import { sqlFileText } from "../../src/postgres/sql-files.ts";

const source = fileURLToPath(new URL("../../src/postgres", import.meta.url));
const embedSql = fileURLToPath(new URL("../../../../scripts/embed-sql.mjs", import.meta.url));

test("every file is installed", () => {
  const files = readdirSync(join(source, "functions"));
  expect(files.toSorted()).toEqual(helperFiles.map((name) => `${name}.sql`).toSorted());
});

// A store installs the functions anew, and builds the indexes over them again, when one byte of them differs: not even trailing
// white space may be lost. If a function is changed on purpose, note the new hash.
test("the statements are those that databases have", () => {
  expect(createHash("sha256").update(postgresHelpers().join(";")).digest("hex")).toBe(
    "92344b96c5dd4da1d64845dd435dbec29b0cde659af1db9ac68285d563996f93",
  );
});

test.each(helperFiles)("%s.sql holds statements and comments alone, and each value has its name", (file) => {
  const statements = helpersOf(file);
  const text = sqlFileText(file);
  expect(statements.join("")).not.toContain("${");
  expect(statements.length).toBe(text.split(/^create or replace function /m).length - 1);
  const rest = text
    .replaceAll(/^create or replace function .*?\$\$.*?\$\$;$/gms, "")
    .replaceAll(/^--.*$/gm, "");
  expect(rest.trim()).toBe("");
});

test("a compiled package contains the files, and reads none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-embed-sql-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const { status, stderr } = spawnSync(process.execPath, [embedSql, source, folder], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    const module = join(folder, "sql-files.js");
    expect(readFileSync(module, "utf8")).not.toMatch(/import|require/);
    const embedded = (await import(pathToFileURL(module).href)) as {
      readonly sqlFileText: typeof sqlFileText;
    };
    for (const file of helperFiles) expect(embedded.sqlFileText(file)).toBe(sqlFileText(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
