import { expect, test } from "vitest";
import {
  bindExpand,
  bindQuery,
  compileExpand,
  compileExpandCount,
  compilePage,
  parseCompute,
  parseExpand,
  parseFilter,
  parseOrderBy,
  parseSelect,
  postgres,
  sqlite,
} from "../../src/index.ts";
import { houses } from "../support/estate.ts";
import { housesMapping } from "../support/estate-tables.ts";
import { show } from "../support/golden.ts";

const filters = [
  "Office/Name eq 'x'",
  "Office/Name ne 'x'",
  "Office/Broker/Name eq null",
  "Office eq null",
  "Address/City eq 'x'",
  "Address ne null",
  "Address/Agent/Name eq 'x'",
  "Detail/Inner/Area gt 1",
  "Detail ne null",
  "Parts/any(p:p/Name eq 'x' and p/Tags/any(t:t eq Name))",
  "Rooms/any()",
  "Rooms/any(r:r/Area gt 12)",
  "Rooms/all(r:contains(r/Name,'x'))",
  "not Rooms/any(r:contains(r/Name,'x'))",
  "Rooms/any(r:r/House/Name eq Name and r/Address/City eq $it/Address/City)",
  "Children/any(c:c/Children/any(d:d/Name eq c/Name and d/Key ne Key))",
  "Office/Agents/any(a:a/Tags/any(t:t eq Name))",
  "Rooms/$count gt 2",
  "Rooms/$count($filter=Area gt 12) gt 2",
  "Tags/any(t:t eq 'x')",
  "'x' in Tags",
  'hassubset(Tags,["x"])',
  "Office/Tags/$count eq 0",
];

const orders = ["Office/Name desc", "Rooms/$count desc", "Address/City"];

const computations = [["Fee divby 4 as Quarter,Quarter add 1 as More", "More gt 2", "Quarter desc"]] as const;

const expands = [
  "Office($select=Name)",
  "Rooms($select=Name;$filter=Area gt 12)",
  "Rooms($select=Name;$orderby=Area desc;$top=2;$skip=1)",
  "Children($select=Name;$filter=Office/Name eq 'x')",
];

test.each([sqlite, postgres])(
  "paths, computed properties and levels compile to the SQL that was reviewed: $name",
  async (dialect) => {
    const select = parseSelect("Key");
    const page = (parts: object) =>
      compilePage(bindQuery({ select, top: 10, ...parts }, houses), dialect, housesMapping);
    const from = { entitySet: houses, mapping: housesMapping, keys: [[1], [2]] };
    const compiled = [
      ...filters.map((text) => show(text, page({ filter: parseFilter(text) }))),
      ...orders.map((text) => show(text, page({ orderBy: parseOrderBy(text) }))),
      ...computations.map(([compute, filter, orderBy]) =>
        show(
          `${compute} & ${filter} & ${orderBy}`,
          page({
            compute: parseCompute(compute),
            filter: parseFilter(filter),
            orderBy: parseOrderBy(orderBy),
            select: parseSelect("Key,More"),
          }),
        ),
      ),
      ...expands.flatMap((text) =>
        bindExpand(parseExpand(text), houses).map((item) => show(text, compileExpand(item, from, dialect))),
      ),
      ...bindExpand(parseExpand("Rooms/$count($filter=Area gt 12)"), houses).map((item) =>
        show("Rooms/$count($filter=Area gt 12)", compileExpandCount(item, from, dialect)),
      ),
    ];
    await expect(compiled.join("\n")).toMatchFileSnapshot(`golden/relations.${dialect.name}.sql`);
  },
);
