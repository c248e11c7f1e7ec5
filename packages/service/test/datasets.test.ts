import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { StructuralProperty } from "@cadastre/odata";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { marketColumns } from "@cadastre/store/market";
import { expect, test } from "vitest";

const { fieldsOf } = sampleCatalog;

const file = fileURLToPath(new URL("../../../docs/datasets.md", import.meta.url));

const typeOf = ({ type, collection, precision, scale }: StructuralProperty): string => {
  const facets = type === "Edm.Decimal" ? `(${precision},${scale})` : "";
  const name = `${type.slice("Edm.".length)}${facets}`;
  return collection ? `Collection(${name})` : name;
};

const tableOf = (columns: readonly StructuralProperty[]): string =>
  columns
    .map((column) => `| \`${column.name}\` | ${typeOf(column)} | ${column.nullable ? "may be" : "never"} |\n`)
    .join("");

const tables = [
  ["media_assets", fieldsOf("MediaAsset")],
  ["public_record", fieldsOf("PublicRecord")],
  ["market_report", marketColumns],
] as const;

test("the page has every field of each dataset, with its type", async () => {
  let page = readFileSync(file, "utf8");
  for (const [dataset, columns] of tables)
    page = page.replace(
      new RegExp(
        `(## \`${dataset}\`\\n[^#]*?\\| Field \\| Type \\| Null \\|\\n\\|---\\|---\\|---\\|\\n)(?:\\|.*\\n)*`,
      ),
      (_, before: string) => before + tableOf(columns),
    );
  await expect(page).toMatchFileSnapshot(file);
});
