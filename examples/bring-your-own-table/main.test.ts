import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { server } from "./main.ts";

afterAll(() => void server.close());

async function get(query: string): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/Homes?${query}`);
  return response.json();
}

test.each([
  ["$filter=Town eq 'York'", [1, 4]],
  ["$filter=Town ne 'York'", [2, 3]],
  ["$filter=contains(Town,'''')", [2]],
  ["$filter=Price gt 2e5&$orderby=Price desc", [2, 1]],
  ["$filter=Town eq null", [3]],
  ["$orderby=Price&$top=2", [4, 3]],
  ["$orderby=Price&$top=2&$skip=1", [3, 1]],
  ["$filter=Price div 2 lt 1e5", [3]],
])("%s gives homes %j", async (query, ids) => {
  const { value } = (await get(query)) as { value: { Id: number }[] };
  expect(value.map(({ Id }) => Id)).toEqual(ids);
});

test("a home has exactly the selected properties", async () => {
  expect(await get("$filter=Id eq 2")).toEqual({ value: [{ Id: 2, Town: "O'Fallon", Price: 410_000 }] });
  expect(await get("$filter=Id eq 2&$select=Town")).toEqual({ value: [{ Town: "O'Fallon" }] });
});

test("a misspelled name is told so", async () => {
  expect(await get("$filter=Twn eq 'York'")).toEqual({
    error: { code: "unknown_property", message: "unknown property `Twn`, did you mean `Town`?" },
  });
});
