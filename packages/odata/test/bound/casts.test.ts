import { describe, expect, test } from "vitest";
import {
  bindExpand,
  bindExpression,
  bindOrderBy,
  type EntityType,
  evaluate,
  parseExpand,
  parseFilter,
  parseOrderBy,
} from "../../src/index.ts";
import { house, houses } from "../support/house.ts";

describe("a cast to the declared type changes nothing", () => {
  test.each([
    ["Demo.House/Price gt 1", true],
    ["Any.Namespace.House/Style eq 'Ranch'", true],
    ["$it/Demo.House/Small eq 200", true],
    ["Demo.House/ListOffice/Demo.Office/OfficeName eq 'O''Neil Realty'", true],
    ["Demo.House/Rooms/Demo.Room/any(r:r/Demo.Room/RoomType eq 'Kitchen')", true],
    ["Rooms/any(r:Demo.House/Small eq 200)", true],
    ["Rooms/$count($filter=Demo.Room/RoomType eq 'Kitchen') eq 1", true],
    ["cast(ListOffice,Demo.Office)/OfficeName ne null", true],
    ["isof(Demo.House)", true],
  ])("%s is %s", (text, value) => {
    expect(evaluate(bindExpression(parseFilter(text), houses), house)).toBe(value);
  });

  test("in `$orderby`", () => {
    expect(bindOrderBy(parseOrderBy("Demo.House/Price desc"), houses)).toEqual(
      bindOrderBy(parseOrderBy("Price desc"), houses),
    );
  });

  test("in `$expand`", () => {
    const entity = (type: object) => ({ ...type, key: [] }) as unknown as EntityType;
    const structured = [...(houses.type.structured ?? [])].map(
      ([name, one]) => [name, { ...one, target: () => entity(one.target()) }] as const,
    );
    const keyed = { ...houses, type: { ...houses.type, structured: new Map(structured) } };
    const names = (text: string) =>
      bindExpand(parseExpand(text), keyed).map(({ navigation }) => navigation.name);
    expect(names("Demo.House/Rooms,ListOffice/Demo.Office")).toEqual(["Rooms", "ListOffice"]);
    expect(() => names("Demo.Room/Rooms")).toThrow(
      expect.objectContaining({ code: "unknown_type", span: { start: 0, end: 9 } }),
    );
  });
});

describe("a cast to any other type is refused", () => {
  test.each([
    ["Demo.Room/Price gt 1", 0, 9],
    ["ListOffice/Demo.Room/OfficeName eq 'x'", 11, 20],
    ["Rooms/any(r:r/Demo.House/Price gt 1)", 14, 24],
    ["cast(ListOffice,Demo.Room)/OfficeName eq 'x'", 16, 25],
  ])("%s", (text, start, end) => {
    expect(() => bindExpression(parseFilter(text), houses)).toThrow(
      expect.objectContaining({ code: "unknown_type", span: { start, end } }),
    );
  });
});
