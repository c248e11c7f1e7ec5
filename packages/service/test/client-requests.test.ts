import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, type Headers, toCollection } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

/*
 * Requests as clients send them that the project may not run, for their licences. Those that it may run are in
 * docs/clients.md.
 */

let running: Running;
let base: string;
const property = "/reso/odata/Property";
const devExtreme = { accept: "application/json;odata=verbose,text/plain,*/*;q=0.01" };

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "200" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const get = (target: string, headers: Headers) =>
  ask(base, target.replaceAll(" ", "%20"), { "x-api-key": running.key("national"), ...headers });

test.each<[string, string, Headers, string]>([
  ["DevExtreme counts", "?$top=0&$count=true", devExtreme, ""],
  [
    "DevExtreme filters and sorts",
    "?$filter=(ListPrice gt 100000) and (startswith(tolower(City),'a'))&$orderby=ListPrice desc&$skip=0&$top=20&$count=true",
    devExtreme,
    "ListPrice gt 100000 and startswith(tolower(City),'a')",
  ],
  [
    "Syncfusion asks with a slash after the set",
    "/?$count=true&$filter=startswith(tolower(City),'a')&$orderby=City desc&$skip=0&$top=12",
    {},
    "startswith(tolower(City),'a')",
  ],
  [
    "Syncfusion searches a column",
    "/?$count=true&$filter=(contains(tolower(City),'o'))&$top=12",
    {},
    "contains(tolower(City),'o')",
  ],
  [
    "Kendo filters in parentheses",
    "?$filter=(contains(City,'a') and (ListPrice gt 100000 or BedroomsTotal eq 3))&$orderby=ListPrice desc&$skip=0&$top=10&$count=true",
    { accept: "*/*" },
    "contains(City,'a') and (ListPrice gt 100000 or BedroomsTotal eq 3)",
  ],
])("%s", async (_, options, headers, filter) => {
  const reply = await get(property + options, headers);
  expect([reply.status, reply.headers["odata-version"]]).toEqual([200, "4.0"]);
  expect(reply.headers["content-type"]).toMatch(/^application\/json/);
  const counted = await get(`${property}/$count${filter === "" ? "" : `?$filter=${filter}`}`, {});
  expect(Number(counted.text)).toBeGreaterThan(0);
  expect(toCollection(reply)["@odata.count"]).toBe(Number(counted.text));
});

test("a literal of OData 2, `100m`, is refused in words", async () => {
  const reply = await get(`${property}?$filter=ListPrice gt 100m`, devExtreme);
  expect(reply.status).toBe(400);
  expect(reply.text).toContain("syntax_error");
});
