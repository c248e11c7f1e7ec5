import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query, toCollection, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "400", CADASTRE_EXTENSIONS: "expand,search,compute" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const customers = ["national", "market", "state", "coarse"] as const;
type Options = Parameters<typeof query>[0];
type Row = Readonly<Record<string, unknown>>;
const get = (target: string, name = "national") => ask(base, target, { "x-api-key": running.key(name) });
const page = async (set: string, options: Options, name?: string) => {
  const reply = await get(`/reso/odata/${set}${query(options)}`, name);
  expect([reply.status, reply.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return toCollection(reply);
};
const rows = async (...args: Parameters<typeof page>): Promise<readonly Row[]> => (await page(...args)).value;

describe.each(customers)("for %s", (name) => {
  test("`$search` finds what the caller reads, and nothing else", async () => {
    const all = await rows("Property", { $top: 1000 }, name);
    const texts = [
      "ListingId",
      "UnparsedAddress",
      "City",
      "PostalCode",
      "SubdivisionName",
      "PublicRemarks",
      "ListAgentFullName",
      "ListOfficeName",
    ].filter((text) => all.some((row) => text in row));
    const has = (row: Row, word: string) =>
      texts.some((text) => new RegExp(`\\b${word}\\b`, "i").test((row[text] as string | null) ?? ""));
    for (const word of ["Austin", "pool", "st", "kitchen"]) {
      const found = await rows("Property", { $search: word, $top: 1000, $select: "ListingKey" }, name);
      expect(found.map((row) => row["ListingKey"])).toEqual(
        all.filter((row) => has(row, word)).map((row) => row["ListingKey"]),
      );
      const count = await get(`/reso/odata/Property/$count${query({ $search: word })}`, name);
      expect(count.text).toBe(String(found.length));
    }
  });

  test("`$compute` computes from what the caller reads", async () => {
    const options: Options = {
      $compute: "ListPrice mul 2 as Twice,Twice add 1 as More,Latitude as Where,toupper(City) as Upper",
      $select: "ListPrice,Latitude,City,Twice,More,Where,Upper",
      $filter: "Twice gt 500000",
      $orderby: "More desc",
      $top: 50,
    };
    const visible = JSON.stringify(await rows("Property", { $top: 1 }, name)).includes('"Latitude"');
    if (!visible) {
      const reply = await get(`/reso/odata/Property${query(options)}`, name);
      expect([reply.status, toError(reply).code]).toEqual([400, "unknown_property"]);
      return;
    }
    const found = await rows("Property", options, name);
    expect(found.length).toBeGreaterThan(0);
    for (const row of found) {
      const price = row["ListPrice"] as number | null;
      expect(row).toEqual({
        ListPrice: price,
        Latitude: row["Latitude"],
        City: row["City"],
        Twice: price === null ? null : price * 2,
        More: price === null ? null : price * 2 + 1,
        Where: row["Latitude"],
        Upper: (row["City"] as string | null)?.toUpperCase() ?? null,
      });
    }
    const prices = found.map((row) => Number(row["More"]));
    expect(prices).toEqual(prices.toSorted((a, b) => b - a));
  });
});

test("computed properties of one record, of related ones, and in each format", async () => {
  const [listing] = await rows("Property", { $filter: "ListPrice ne null", $top: 1 });
  const key = String(listing?.["ListingKey"]);
  const options: Options = { $compute: "ListPrice add 1 as More", $select: "More" };
  const one = await get(`/reso/odata/Property('${key}')${query(options)}`);
  expect(JSON.parse(one.text)).toEqual({
    "@odata.context": `${base}/reso/odata/$metadata#Property(More)/$entity`,
    More: Number(listing?.["ListPrice"]) + 1,
  });
  const [expanded] = await rows("Property", {
    $filter: `ListingKey eq '${key}'`,
    $select: "ListingKey",
    $expand: "Media($compute=Order mul 10 as Tenfold;$select=Order,Tenfold;$orderby=Order)",
  });
  const media = expanded?.["Media"] as readonly Row[];
  expect(media.length).toBeGreaterThan(0);
  for (const item of media) expect(item["Tenfold"]).toBe(Number(item["Order"]) * 10);
  const csv = await get(`/reso/odata/Property${query({ ...options, $format: "csv", $top: 2 })}`);
  expect(csv.text.split("\r\n")[0]).toBe("More");
});

test("the name of a hidden field is free for a computed property", async () => {
  const { text } = await get("/reso/odata/$metadata", "state");
  const hidden = ["Latitude", "PrivateRemarks", "ListAgentKey"];
  for (const name of hidden) expect(text).not.toContain(`"${name}"`);
  const answer = async (name: string) => {
    const options = { $compute: `1 add 1 as ${name}`, $select: name, $filter: `${name} eq 2`, $top: 1 };
    const reply = await get(`/reso/odata/Property${query(options)}`, "state");
    return [reply.status, reply.text.replaceAll(name, "…").replace(/skiptoken=[^"]*/, "")];
  };
  expect((await answer("NoSuchField"))[0]).toBe(200);
  for (const name of hidden) expect(await answer(name)).toEqual(await answer("NoSuchField"));
});

test("a page walk of `$search` with `$compute` has each record once", async () => {
  const seen: unknown[] = [];
  const options = {
    $search: "Austin OR Dallas OR Street",
    $compute: "year(ModificationTimestamp) as Year",
    $select: "ListingKey,Year",
    $orderby: "Year desc",
    $top: 30,
  };
  let target: string | undefined = `/reso/odata/Property${query(options)}`;
  while (target !== undefined) {
    const reply = JSON.parse((await get(target)).text) as { value: Row[]; "@odata.nextLink"?: string };
    seen.push(...reply.value.map((row) => row["ListingKey"]));
    target = reply["@odata.nextLink"]?.replace(base, "");
  }
  expect(new Set(seen).size).toBe(seen.length);
  const count = await get(`/reso/odata/Property/$count${query({ $search: options.$search })}`);
  expect(String(seen.length)).toBe(count.text);
});

test.each([
  ["$search", "Property", { $search: "pool" }],
  ["$compute", "Property", { $compute: "1 add 1 as Two" }],
  ["$compute", "Property", { $expand: "Media($compute=1 add 1 as Two)" }],
  ["$apply", "Property", { $apply: "aggregate($count as N)" }],
] as const)("where it is off, %s is 501: %s %o", async (target, set, options) => {
  const off = await run({ CADASTRE_LISTINGS: "20" });
  try {
    const reply = await ask(off.service.baseUrl, `/reso/odata/${set}${query(options)}`, {
      "x-api-key": off.key("national"),
    });
    expect([reply.status, toError(reply)]).toEqual([
      501,
      expect.objectContaining({ code: "not_implemented", target }),
    ]);
  } finally {
    await off.stop();
  }
});
