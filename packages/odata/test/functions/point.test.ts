import { describe, expect, test } from "vitest";
import { type BoundNode, evaluate } from "../../src/index.ts";
import { callNode, pointNode } from "../../src/tree/index.ts";

const degrees = (value: number | null): BoundNode => ({ kind: "Constant", type: "Edm.Double", value });
const pointAt = (longitude: number | null, latitude: number | null) =>
  evaluate(pointNode(degrees(longitude), degrees(latitude)), {});

describe("the place at a longitude and a latitude", () => {
  test.each([
    [-97.74, 30.27],
    [180, -90],
    [0, 0],
  ])("is the point %j %j", (longitude, latitude) => {
    expect(pointAt(longitude, latitude)).toEqual({ type: "Point", coordinates: [longitude, latitude] });
  });

  test("has no zero with a sign", () => {
    expect(JSON.stringify(pointAt(-0, -0))).toBe('{"type":"Point","coordinates":[0,0]}');
    expect(pointAt(-0, -0)).toEqual({ type: "Point", coordinates: [0, 0] });
  });

  test.each([
    [180.001, 0],
    [0, -90.001],
    [Number.POSITIVE_INFINITY, 0],
    [0, Number.NaN],
    [null, 0],
    [0, null],
  ])("is null where there is none: %j %j", (longitude, latitude) => {
    expect(pointAt(longitude, latitude)).toBeNull();
  });
});

describe("a call that is built", () => {
  test("has the overload that takes its arguments, promoted", () => {
    const integer: BoundNode = { kind: "Constant", type: "Edm.Int32", value: 7n };
    expect(callNode("round", degrees(2.5))).toMatchObject({ type: "Edm.Double" });
    expect(callNode("round", integer)).toMatchObject({ type: "Edm.Decimal", args: [{ kind: "Cast" }] });
  });

  test.each(["round", "nothing", "geo.point"])("is refused where `%s` takes no such arguments", (name) => {
    const text: BoundNode = { kind: "Constant", type: "Edm.String", value: "a" };
    expect(() => callNode(name, text)).toThrow(TypeError);
  });
});
