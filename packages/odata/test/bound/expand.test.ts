import { describe, expect, test } from "vitest";
import { type BoundExpand, bindExpand, parseExpand, QueryError } from "../../src/index.ts";
import { houses } from "../support/estate.ts";

const bind = (text: string) => bindExpand(parseExpand(text), houses);

/** Names of the items, with what is inside in brackets. */
const outline = (items: readonly BoundExpand[]): string =>
  items
    .map(({ navigation, expand }) => navigation.name + (expand.length === 0 ? "" : `(${outline(expand)})`))
    .join();

describe("an item leads to", () => {
  test.each([
    ["Office,Rooms", "Office,Rooms"],
    ["*", "Office,Parent,Children,Rooms"],
    ["Rooms($top=1),*", "Rooms,Office,Parent,Children"],
    ["Office($expand=Broker($expand=*))", "Office(Broker(Office))"],
    ["Children($levels=3)", "Children(Children(Children))"],
    ["Parent($levels=2;$expand=Rooms)", "Parent(Rooms,Parent(Rooms))"],
    ["Office($levels=3)", "Office"],
    ["Office($levels=max)", "Office"],
    ["Children($levels=max)", `${"Children(".repeat(15)}Children${")".repeat(15)}`],
  ])("%s: %s", (text, expected) => {
    expect(outline(bind(text))).toBe(expected);
  });

  test("the entities that its options tell, in a total order", () => {
    const [item] = bind(
      "Rooms($filter=Area gt 1;$orderby=Area desc;$top=2;$skip=1;$count=true;$select=Name)",
    );
    expect(item).toMatchObject({
      count: "also",
      query: {
        entitySet: { name: "Rooms" },
        filter: { kind: "Compare" },
        orderBy: [{ direction: "desc" }, { expression: { property: { name: "Key" } }, direction: "asc" }],
        select: [{ property: { name: "Name" } }],
        top: 2,
        skip: 1,
      },
    });
  });
});

test("`$levels=max` ends before the number of queries is too large", () => {
  const six = `${"Rooms($expand=House($expand=".repeat(2)}Rooms($expand=House)${"))".repeat(2)}`;
  const text = outline(bind(`Children($levels=max;$expand=${six})`));
  expect(text.match(/Children/g)).toHaveLength(Math.floor(100 / 7));
});

test("references hold the key of entities whose set is known", () => {
  const entitySetOf = ({ name }: { readonly name: string }) => `${name}s`;
  const [item] = bindExpand(parseExpand("Rooms/$ref($top=1)"), houses, { entitySetOf });
  expect(item).toMatchObject({
    referenceTo: "Rooms",
    query: { top: 1, select: [{ property: { name: "Key" } }] },
  });
});

test("a related entity's key is not its own: its order is no total one", () => {
  const [item] = bind("Children($orderby=Office/Key desc)");
  expect(item?.query.orderBy).toMatchObject([
    { expression: { property: { name: "Key" }, base: {} }, direction: "desc" },
    { expression: { property: { name: "Key" } }, direction: "asc" },
  ]);
});

describe("an item is refused", () => {
  test.each([
    ["Rums", "unknown_property"],
    ["Name", "unknown_property"],
    ["Address", "not_supported"],
    ["Address/Agent", "not_supported"],
    ["Office/Broker", "not_supported"],
    ["Rooms/$ref", "not_supported"],
    ["Rooms($search=x)", "not_supported"],
    ["Rooms($apply=aggregate($count as N))", "not_supported"],
    ["Children($levels=17)", "limit_exceeded"],
    ["Rooms($filter=Area gt $it/Area)", "not_supported"],
    ["Rooms($orderby=concat($it/Name,Name))", "not_supported"],
    ["Rooms,Rooms", "duplicate_option"],
    ["Office($filter=Name eq 'x')", "not_a_collection"],
    ["Office($top=1)", "not_a_collection"],
    ["Office/$count", "not_a_collection"],
    ["Rooms($filter=Arae gt 1)", "unknown_property"],
    ["Rooms($select=Arae)", "unknown_property"],
  ])("%s: %s", (text, code) => {
    let error: unknown;
    try {
      bind(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(QueryError);
    expect(error).toMatchObject({ code });
  });

  test("with the option that holds it", () => {
    expect(() => bind("Room")).toThrow("unknown property `Room`, did you mean `Rooms`?");
    expect(() => bind("Room")).toThrow(
      expect.objectContaining({ option: "$expand", span: { start: 0, end: 4 } }),
    );
    // A span inside an item is of the whole text.
    expect(() => bind("Rooms($filter=Arae gt 1)")).toThrow(
      expect.objectContaining({ span: { start: 14, end: 18 } }),
    );
  });
});
