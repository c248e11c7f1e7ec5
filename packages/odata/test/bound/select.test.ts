import { describe, expect, test } from "vitest";
import { expandRow } from "../../src/compile/index.ts";
import {
  bindQuery,
  type EntitySet,
  nestComplexValues,
  parseExpand,
  parseSelect,
  type Row,
} from "../../src/index.ts";
import { houses as estate } from "../support/estate.ts";
import { house, houses } from "../support/house.ts";

const answer = (select: string, row: Row = house, set: EntitySet = houses): Row =>
  expandRow(row, bindQuery({ select: parseSelect(select), top: 1 }, set).select, []);

describe("`$select` of complex values gives a part of them", () => {
  test.each([
    ["Key,ListOffice/OfficeName", { Key: "k1", ListOffice: { OfficeName: "O'Neil Realty" } }],
    ["ListOffice", { ListOffice: { OfficeName: "O'Neil Realty", OfficeCity: null } }],
    ["ListOffice/OfficeCity,ListOffice", { ListOffice: { OfficeName: "O'Neil Realty", OfficeCity: null } }],
    ["ListOffice/Demo.Office/OfficeCity,Demo.House/Small", { Small: 200, ListOffice: { OfficeCity: null } }],
    ["ListOffice/OfficeName,Key", { Key: "k1", ListOffice: { OfficeName: "O'Neil Realty" } }],
  ])("%s", (select, expected) => {
    expect(answer(select)).toEqual(expected);
  });

  test.each<[string, string, readonly string[]]>([
    ["Name,Office", "Office", ["Name"]],
    ["Office,Name", "*", ["Name"]],
    ["Office", "Office($select=Fee)", ["Key"]],
  ])("`%s` beside `$expand=%s` gives %j: what is expanded may be selected too", (select, expand, names) => {
    const parts = { select: parseSelect(select), expand: parseExpand(expand), top: 1 };
    expect(bindQuery(parts, estate).select.map(({ property }) => property.name)).toEqual(names);
  });

  test("null where the complex value is null", () => {
    expect(answer("ListOffice/OfficeName", { ...house, ListOffice: null })).toEqual({ ListOffice: null });
  });

  test("at any depth", () => {
    const row = { Key: 1, Detail: { Area: 3, Inner: { Area: 5, Inner: null } } };
    const select = "Detail/Area,Detail/Inner/Area,Detail/Inner/Inner/Name";
    expect(answer(select, row, estate)).toEqual({ Detail: { Area: 3, Inner: { Area: 5, Inner: null } } });
  });

  test.each([
    [
      "ListOffice/OfficeNme",
      houses,
      "unknown_property",
      11,
      20,
      "unknown property `OfficeNme`, did you mean `OfficeName`?",
    ],
    ["ListOffice/OfficeName/Length", houses, "unknown_property", 22, 28, "unknown property `Length`"],
    ["Key/Length", houses, "unknown_property", 4, 10, "unknown property `Length`"],
    [
      "ListOfice",
      houses,
      "unknown_property",
      0,
      9,
      "unknown property `ListOfice`, did you mean `ListOffice`?",
    ],
    ["Demo.Castle/Key", houses, "unknown_type", 0, 11, "unknown type `Demo.Castle`"],
    [
      "Rooms",
      houses,
      "not_supported",
      0,
      5,
      "the collection `Rooms` of complex values in `$select` is not supported",
    ],
    [
      "Name,Office",
      estate,
      "not_supported",
      5,
      11,
      "the navigation property `Office` in `$select` (use `$expand=Office`) is not supported",
    ],
    [
      "Office/Fee",
      estate,
      "not_supported",
      0,
      6,
      "the navigation property `Office` in `$select` (use `$expand=Office($select=Fee)`) is not supported",
    ],
    [
      "Detail",
      estate,
      "not_supported",
      0,
      6,
      "the complex value in `$select`, which contains itself as `Inner` (name its properties), is not supported",
    ],
  ])("%s is refused", (select, set, code, start, end, message) => {
    expect(() => answer(select, house, set)).toThrow(
      expect.objectContaining({ code, option: "$select", span: { start, end }, message }),
    );
  });
});

test("columns of complex values are nested", () => {
  expect(
    nestComplexValues({ Key: 1, A: 1, "A/B": 2, "A/C": 0, "A/C/D": null, E: false, "E/F": 1, "E/F/G": 3 }),
  ).toEqual({ Key: 1, A: { B: 2, C: null }, E: null });
  const plain = { Key: 1 };
  expect(nestComplexValues(plain)).toBe(plain);
});
