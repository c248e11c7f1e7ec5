import fc from "fast-check";
import type { Estate } from "./estate.ts";

const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4, nil: null });

const name = orNull(fc.constantFrom("", "a", "ab", "b", "O'Neil", "%", "é", "😀"));
const key = fc.integer({ min: 1, max: 6 });
/** A reference to a row, which may be missing. */
const reference = orNull(fc.integer({ min: 1, max: 7 }));
const number = orNull(fc.integer({ min: -1, max: 4 }));
const fee = orNull(fc.constantFrom(0, 0.07, 2.5, 3, 100.25));
const tags = fc.array(orNull(fc.constantFrom("a", "b", "é", "")), { maxLength: 3 });
const address = { AddressCity: name, AddressNumber: number, AddressAgent: reference };

type Detail = Readonly<Record<string, unknown>>;

/** Complex values as JSON: nested, null, or with missing members. */
const { detail, parts } = fc.letrec<{ detail: Detail | null; parts: readonly (Detail | null)[] }>((tie) => ({
  detail: fc.option(
    fc.record(
      {
        Name: name,
        Area: number,
        Fee: fee,
        Built: fc.constantFrom("2024-02-29", "1999-12-31"),
        Tags: tags,
        Inner: tie("detail"),
        Parts: tie("parts"),
      },
      { requiredKeys: [] },
    ),
    { freq: 4, nil: null, depthSize: "small" },
  ),
  parts: fc.array(tie("detail"), { maxLength: 3 }),
}));

const rows = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, maxLength: number) =>
  fc.uniqueArray(fc.record({ Key: key, Name: name, Kind: fc.constant("k"), ...model }), {
    selector: ({ Key }) => Key,
    maxLength,
  });

const houseRows = rows(
  {
    Area: number,
    Fee: fee,
    Built: orNull(fc.constantFrom("2024-02-29", "1999-12-31")),
    OfficeKey: reference,
    ParentKey: reference,
    AddressKind: orNull(fc.constant("street")),
    ...address,
    Tags: tags,
    Sizes: fc.array(number, { maxLength: 3 }),
    Detail: detail,
    Parts: parts,
  },
  6,
).map((all) =>
  // Without an address its columns are null.
  all.map((row) =>
    row.AddressKind === null ? { ...row, AddressCity: null, AddressNumber: null, AddressAgent: null } : row,
  ),
);

/** Estates with nulls, dangling references, empty collections, duplicates and nested houses. */
export const estates: fc.Arbitrary<Estate> = fc.record({
  House: houseRows,
  Office: rows({ Fee: fee, BrokerKey: reference, Tags: tags }, 5),
  Agent: rows({ Age: number, OfficeKey: reference, Tags: tags }, 5),
  Room: rows({ Area: number, Parent: reference, ...address, Tags: tags }, 6),
});
/** Paths from each type to values, and to other types. */
const paths = {
  House: {
    text: ["Name", "Address/City"],
    number: ["Key", "Area", "Fee", "Address/Number"],
    tags: ["Tags"],
    one: { Office: "Office", Parent: "House", "Address/Agent": "Agent", Detail: "Detail" },
    many: { Children: "House", Rooms: "Room", Parts: "Detail" },
  },
  Detail: {
    text: ["Name"],
    number: ["Area", "Fee"],
    tags: ["Tags"],
    one: { Inner: "Detail" },
    many: { Parts: "Detail" },
  },
  Office: {
    text: ["Name"],
    number: ["Key", "Fee"],
    tags: ["Tags"],
    one: { Broker: "Agent" },
    many: { Agents: "Agent", Houses: "House" },
  },
  Agent: { text: ["Name"], number: ["Key", "Age"], tags: ["Tags"], one: { Office: "Office" }, many: {} },
  Room: {
    text: ["Name", "Address/City"],
    number: ["Key", "Area", "Address/Number"],
    tags: ["Tags"],
    one: { House: "House", "Address/Agent": "Agent" },
    many: {},
  },
} as const;

type TypeName = keyof typeof paths;
/** A row in scope: its type, and the prefix of paths that start at it. */
type Reach = { readonly type: TypeName; readonly prefix: string };

/** Generates a path of at most `steps` segments to a row, starting at a row in scope. */
function rowPath(from: Reach, steps: number): fc.Arbitrary<Reach> {
  const next = Object.entries(paths[from.type].one) as [string, TypeName][];
  if (steps === 0 || next.length === 0) return fc.constant(from);
  return fc.oneof(
    { arbitrary: fc.constant(from), weight: 2 },
    fc
      .constantFrom(...next)
      .chain(([name, type]) => rowPath({ type, prefix: `${from.prefix}${name}/` }, steps - 1)),
  );
}

const pathTo = (reach: readonly Reach[], kind: "text" | "number" | "tags"): fc.Arbitrary<string> =>
  fc
    .constantFrom(...reach)
    .chain((from) => rowPath(from, 2))
    .chain(({ type, prefix }) => fc.constantFrom(...paths[type][kind]).map((path) => `${prefix}${path}`));

const collectionFrom = (reach: readonly Reach[]): fc.Arbitrary<Reach> =>
  fc
    .constantFrom(...reach)
    .chain((from) => rowPath(from, 1))
    .chain((from) => {
      const many = Object.entries(paths[from.type].many) as [string, TypeName][];
      const all: readonly [string, TypeName][] = many.length === 0 ? [["Office/Agents", "Agent"]] : many;
      const prefix = many.length === 0 && from.type === "Room" ? `${from.prefix}House/` : from.prefix;
      return fc.constantFrom(...all).map(([name, type]) => ({ type, prefix: `${prefix}${name}` }));
    });

const comparator = fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le");
const literals = {
  text: fc.constantFrom("'a'", "'ab'", "'O''Neil'", "'%'", "null", "''"),
  number: fc.constantFrom("0", "1", "2", "2.5", "0.07", "null"),
};

const comparisonIn = (reach: readonly Reach[]) =>
  fc
    .constantFrom("text" as const, "number" as const)
    .chain((kind) =>
      fc
        .tuple(
          pathTo(reach, kind),
          comparator,
          fc.oneof(literals[kind], { arbitrary: pathTo(reach, kind), weight: 2 }),
        )
        .map((parts) => parts.join(" ")),
    );

const atomIn = (reach: readonly Reach[]): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: comparisonIn(reach), weight: 4 },
    fc
      .tuple(fc.constantFrom("contains", "startswith"), pathTo(reach, "text"), literals.text)
      .map(([call, path, part]) => `${call}(${path},${part})`),
    pathTo(reach, "text").map((path) => `${path} in ('a','b',null)`),
    fc.tuple(pathTo(reach, "text"), pathTo(reach, "tags")).map(([path, list]) => `${path} in ${list}`),
    pathTo(reach, "tags").map((path) => `hassubset(${path},["a"])`),
    pathTo(reach, "tags").map((path) => `hassubsequence(${path},["a","b"])`),
    fc
      .tuple(fc.constantFrom("any", "all"), pathTo(reach, "tags"), pathTo(reach, "text"))
      .map(([operator, list, path]) => `${list}/${operator}(t:contains(t,'a') or t eq ${path})`),
    fc.tuple(pathTo(reach, "tags"), comparator).map(([list, operator]) => `${list}/$count ${operator} 1`),
    fc.tuple(pathTo(reach, "number"), pathTo(reach, "number")).map(([a, b]) => `${a} add ${b} gt 2`),
    fc
      .tuple(collectionFrom(reach), comparator)
      .map(([{ prefix }, operator]) => `${prefix}/$count ${operator} 1`),
    collectionFrom(reach).map(({ prefix }) => `${prefix}/any()`),
    fc
      .constantFrom(...reach)
      .chain((from) => rowPath(from, 2))
      .filter(({ prefix }) => prefix !== "" && !/^\w0\/$|^\w1\/$/.test(prefix))
      .map(({ prefix }) => `${prefix.slice(0, -1)} eq null`),
    fc.constantFrom("Sizes/any(s:s gt 1)", "Sizes/all(s:s ne null)", "hassubset(Sizes,[1,2])", "2 in Sizes"),
  );

/** Generates filters over the rows in scope, with at most `depth` nested lambda operators. */
function filterIn(reach: readonly Reach[], depth: number): fc.Arbitrary<string> {
  const logic = (inner: fc.Arbitrary<string>) =>
    fc.oneof(
      { arbitrary: inner, weight: 3 },
      inner.map((operand) => `not (${operand})`),
      fc
        .tuple(inner, fc.constantFrom("and", "or", "eq"), inner)
        .map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
    );
  if (depth === 0) return logic(atomIn(reach));
  const lambda = fc
    .tuple(collectionFrom(reach), fc.constantFrom("any", "all"))
    .chain(([{ type, prefix }, operator]) => {
      const variable = `v${reach.length - 1}`;
      const inner = filterIn(
        [...reach, { type, prefix: `${variable}/` }, { type, prefix: `${variable}/` }],
        depth - 1,
      );
      return inner.map((predicate) => `${prefix}/${operator}(${variable}:${predicate})`);
    });
  const size = collectionFrom(reach.slice(0, 1)).chain(({ type, prefix }) =>
    filterIn([{ type, prefix: "" }], 0)
      .filter((predicate) => !/Sizes|\$it/.test(predicate))
      .map((predicate) => `${prefix}/$count($filter=${predicate}) ge 1`),
  );
  return logic(fc.oneof({ arbitrary: atomIn(reach), weight: 2 }, { arbitrary: lambda, weight: 4 }, size));
}

const root: Reach = { type: "House", prefix: "" };

/** Filters over houses and their related rows, with lambda operators nested two deep. */
export const estateFilters: fc.Arbitrary<string> = filterIn([root, { type: "House", prefix: "$it/" }], 2);

/** Orders by the values at the ends of paths. */
export const estateOrders: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.oneof(
        pathTo([root], "text"),
        pathTo([root], "number"),
        collectionFrom([root]).map(({ prefix }) => `${prefix}/$count`),
      ),
      fc.constantFrom("asc", "desc"),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((all) => all.map((item) => item.join(" ")).join(","));

const optional = (text: fc.Arbitrary<string>) => fc.option(text, { nil: undefined });

const orderIn = (from: Reach): fc.Arbitrary<string> =>
  fc
    .tuple(fc.oneof(pathTo([from], "text"), pathTo([from], "number")), fc.constantFrom("asc", "desc"))
    .map((item) => item.join(" "));

/** Generates items of `$expand` on entities of a type, with options, nested `depth` levels deep. */
function expandOf(type: TypeName, depth: number): fc.Arbitrary<string> {
  const navigations = Object.entries({ ...paths[type].one, ...paths[type].many }).filter(
    ([name, target]) => !name.includes("/") && target !== "Detail",
  ) as [string, TypeName][];
  return fc
    .subarray(navigations, { minLength: 1, maxLength: Math.min(2, navigations.length) })
    .chain((chosen) => fc.tuple(...chosen.map(([name, target]) => expandItem(type, name, target, depth))))
    .map((items) => items.join(","));
}

function expandItem(type: TypeName, name: string, target: TypeName, depth: number): fc.Arbitrary<string> {
  const from: Reach = { type: target, prefix: "" };
  const inner = depth === 0 ? fc.constant(undefined) : optional(expandOf(target, depth - 1));
  const shared = [
    optional(fc.constantFrom("$select=Name", "$select=Key,Tags", "$select=*")),
    optional(
      fc.constantFrom("$compute=Key add 1 as Next", "$compute=length(Name) as Size,Size mul 2 as Twice"),
    ),
    inner.map((text) => text && `$expand=${text}`),
    optional(
      fc.constantFrom(...(type === target ? ["$levels=2", "$levels=3", "$levels=max"] : ["$levels=1"])),
    ),
  ];
  const ofMany = [
    optional(
      filterIn([from], 1)
        .filter((text) => !text.includes("Sizes"))
        .map((text) => `$filter=${text}`),
    ),
    optional(orderIn(from).map((text) => `$orderby=${text}`)),
    optional(fc.constantFrom("$top=0", "$top=1", "$top=2")),
    optional(fc.constantFrom("$skip=0", "$skip=1")),
    optional(fc.constant("$count=true")),
  ];
  const isMany = Object.hasOwn(paths[type].many, name);
  const withOptions = (path: string, options: readonly fc.Arbitrary<string | undefined>[]) =>
    fc
      .tuple(...options)
      .map((texts) => texts.filter((text) => text !== undefined))
      .map((texts) => (texts.length === 0 ? path : `${path}(${texts.join(";")})`));
  const ofSome = isMany ? ofMany : [];
  return fc.oneof(
    { arbitrary: withOptions(name, [...shared, ...ofSome]), weight: 10 },
    { arbitrary: withOptions(`${name}/$ref`, ofSome), weight: 2 },
    ...(isMany ? [{ arbitrary: fc.constant(`${name}/$count`), weight: 2 }] : []),
  );
}

/** Texts of `$expand` over houses. */
export const estateExpands: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: expandOf("House", 2), weight: 5 },
  fc.constant("*"),
);
