import { expect, test } from "vitest";
import {
  bindQuery,
  compilePage,
  parseFilter,
  parseSearch,
  parseSelect,
  postgres,
  sqlite,
} from "../../src/index.ts";
import { homes, mappings, searchable } from "../support/homes.ts";

const filters = [
  "startswith(Remarks,'Sea')",
  "startswith(Remarks,'\u{10ffff}')",
  "startswith(Remarks,'')",
  "not startswith(Remarks,'a')",
  "startswith(concat(Title,Remarks),'a')",
];

const foldedFilters = [
  "Title eq 'York'",
  "Remarks ne 'York'",
  "Title in ('York',null)",
  "Title gt 'York'",
  "Title eq null",
  "contains(Title,'New') or startswith(Remarks,'New') or endswith(Remarks,'York')",
];

const searches = ["sea", '"sea view"', "sea view OR pool", "sea NOT (pool OR house)", "sea OR NOT pool"];

const show = (input: string, { text, values }: { text: string; values: readonly unknown[] }) =>
  `-- ${input}\n${text}\n-- ${JSON.stringify(values)}\n`;

test.each([
  [sqlite, mappings.sqlite],
  [postgres, mappings.postgres],
] as const)("texts compile to the SQL that was reviewed: $name", async (dialect, { plain, indexed }) => {
  const select = parseSelect("Key");
  const filtered = (text: string, ignoreCase: boolean) =>
    bindQuery({ filter: parseFilter(text), select, top: 10 }, homes, [], { ignoreCase });
  const searched = (text: string) =>
    bindQuery({ search: parseSearch(text), select, top: 10 }, homes, [], { searchable });
  const compiled = [
    ...filters.map((text) => show(text, compilePage(filtered(text, false), dialect, plain))),
    ...foldedFilters.flatMap((text) => [
      show(`${text}, ignoring case`, compilePage(filtered(text, true), dialect, plain)),
      show(
        `${text}, ignoring case, folded titles stored`,
        compilePage(filtered(text, true), dialect, indexed),
      ),
    ]),
    ...searches.flatMap((text) => [
      show(`search ${text}`, compilePage(searched(text), dialect, plain)),
      show(`search ${text}, with an index`, compilePage(searched(text), dialect, indexed)),
    ]),
  ];
  await expect(compiled.join("\n")).toMatchFileSnapshot(`golden/text-${dialect.name}.sql`);
});
