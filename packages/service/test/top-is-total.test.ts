import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, toCollection, toError, walk } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
const property = "/reso/odata/Property";

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "60", CADASTRE_PAGE_SIZE: "10", CADASTRE_TOP_IS_TOTAL: "true" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const headers = (prefer?: string) => ({
  "x-api-key": running.key("national"),
  ...(prefer === undefined ? {} : { prefer }),
});

test.each<[string, string | undefined, readonly number[]]>([
  ["?$top=0", undefined, [0]],
  ["?$top=1", undefined, [1]],
  ["?$top=10", undefined, [10]],
  ["?$top=25", undefined, [10, 10, 5]],
  ["?$top=25&$skip=3", undefined, [10, 10, 5]],
  ["?$top=25&$skip=50", undefined, [10]],
  ["?$top=1000", undefined, [10, 10, 10, 10, 10, 10]],
  ["?$top=25", "maxpagesize=20", [20, 5]],
  ["?$top=5", "maxpagesize=20", [5]],
  ["?$top=20&$orderby=ListPrice desc&$count=true", "maxpagesize=7", [7, 7, 6]],
  ["?$top=4&$format=application/json;odata.metadata=none", "maxpagesize=3", [3, 1]],
  ["", "maxpagesize=40", [40, 20]],
  ["", undefined, [10, 10, 10, 10, 10, 10]],
])("`%s` with `Prefer: %s` gives pages of %j", async (options, prefer, sizes) => {
  const pages = await walk(base, property + options.replaceAll(" ", "%20"), headers(prefer));
  expect(pages.map(({ value }) => value.length)).toEqual(sizes);
  const keys = pages.flatMap(({ value }) => value.map((row) => row["ListingKey"]));
  expect(new Set(keys).size).toBe(keys.length);
  if (options.includes("$count"))
    expect(new Set(pages.map((page) => page["@odata.count"]))).toEqual(new Set([60]));
});

test("the pages together are the first records of the whole", async () => {
  const keysOf = async (options: string) =>
    (await walk(base, `${property}?$select=ListingKey&$orderby=City${options}`, headers())).flatMap(
      ({ value }) => value,
    );
  expect(await keysOf("&$top=25")).toEqual((await keysOf("")).slice(0, 25));
});

test("a next link holds for its own `$top` alone", async () => {
  const page = toCollection(await ask(base, `${property}?$top=25`, headers()));
  const link = String(page["@odata.nextLink"]).slice(base.length);
  expect((await ask(base, link, headers())).status).toBe(200);
  const reply = await ask(base, link.replace("$top=25", "$top=1000"), headers());
  expect([reply.status, toError(reply).code]).toEqual([400, "invalid_skip_token"]);
});
