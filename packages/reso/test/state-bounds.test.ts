import { expect, test } from "vitest";
import { boundedStates, dictionaryCatalog, isInState } from "../src/index.ts";

test("the 50 states, the District of Columbia and five territories have bounds, each under a code of the lookup", () => {
  expect(boundedStates).toHaveLength(56);
  expect(new Set(boundedStates).size).toBe(56);
  const listed = new Set(dictionaryCatalog.lookups.values("StateOrProvince").map(({ value }) => value));
  // The dictionary lists no territories but the ones that have codes there.
  const territories = new Set(["AS", "GU", "MP", "PR", "VI"]);
  expect(boundedStates.filter((state) => !listed.has(state) && !territories.has(state))).toEqual([]);
});

// Cities near the borders. Source: USGS Geographic Names Information System.
test.each<[place: string, state: string, latitude: number, longitude: number, isIn: boolean | undefined]>([
  ["Seattle", "WA", 47.6062, -122.3321, true],
  ["Seattle", "TX", 47.6062, -122.3321, false],
  ["El Paso", "TX", 31.7619, -106.485, true],
  ["Brownsville", "TX", 25.9017, -97.4975, true],
  ["Key West", "FL", 24.5551, -81.78, true],
  ["Washington", "DC", 38.9072, -77.0369, true],
  ["Eastport", "ME", 44.9062, -66.99, true],
  ["Utqiagvik", "AK", 71.2906, -156.7886, true],
  ["Adak, west of the Pribilofs", "AK", 51.88, -176.6581, true],
  ["Attu, across the 180th meridian", "AK", 52.9, 172.9, true],
  ["the 180th meridian", "AK", 51.9, 180, true],
  ["the 180th meridian, from the other side", "AK", 51.9, -180, true],
  ["Kamchatka", "AK", 53.0, 158.65, false],
  ["Vancouver", "AK", 53.0, -125, false],
  ["Honolulu", "HI", 21.3069, -157.8583, true],
  ["San Juan", "PR", 18.4655, -66.1057, true],
  ["Saipan", "MP", 15.19, 145.75, true],
  ["the Gulf of Guinea", "TX", 0, 0, false],
  ["a longitude without its sign", "TX", 30.27, 97.74, false],
  ["Toronto", "ON", 43.65, -79.38, undefined],
  ["no state", "constructor", 43.65, -79.38, undefined],
])("%s and %s", (_place, state, latitude, longitude, isIn) => {
  expect(isInState(state, latitude, longitude)).toBe(isIn);
});
