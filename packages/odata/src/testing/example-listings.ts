import { readFileSync } from "node:fs";
import type { ExpectStatic, TestAPI } from "vitest";

const block = /^```sh\n(curl [\s\S]*?)^```\n+```json\n([\s\S]*?)^```$/gm;
const header = /-H '([^:']+): ([^']*)'/g;
const option = /--data-urlencode '([^=']*)=((?:[^']|'\\'')*)'/g;

/** Encodes as curl does: everything except unreserved characters. */
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns the requests of a README, each a `curl` command for port 8080, with the JSON response shown after it. */
const readmeRequests = (file: URL) =>
  [...readFileSync(file, "utf8").matchAll(block)].map(([, command = "", answer = ""]) => {
    const [, path = ""] = /http:\/\/127\.0\.0\.1:8080(\S+)/.exec(command) ?? [];
    const options = [...command.matchAll(option)].map(
      ([, name, value = ""]) => `${name}=${encode(value.replaceAll("'\\''", "'"))}`,
    );
    const headers = Object.fromEntries(
      [...command.matchAll(header)].map(([, name = "", value = ""]) => [name, value]),
    );
    return { request: `${path}?${options.join("&")}`, headers, answer: JSON.parse(answer) as unknown };
  });

type Answer = {
  readonly value: readonly Readonly<Record<string, unknown>>[];
  readonly "@odata.nextLink"?: string;
};

/**
 * Tests the responses of an example's listings, which are the same for every database.
 *
 * @param originOf returns the running server's origin
 * @param vitest the runner of the tests, which only a file of tests can import
 */
export function testExampleListings(
  readme: URL,
  originOf: () => string,
  { expect, test }: { readonly expect: ExpectStatic; readonly test: TestAPI },
): void {
  const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(new URL(target, originOf()), { headers });
  const read = async (target: string, headers?: Readonly<Record<string, string>>) =>
    (await (await get(target, headers)).json()) as Answer;
  const keysOf = ({ value }: Answer) => value.map((listing) => listing["ListingKey"]);

  test.each(readmeRequests(readme))(
    "$request is answered as the README shows",
    async ({ request, headers, answer }) => {
      const text = await (await get(request, headers)).text();
      const shown = text
        .replaceAll(originOf(), "http://127.0.0.1:8080")
        .replace(/(?<=\$skiptoken=)[\w-]+/, "…");
      expect(JSON.parse(shown)).toEqual(answer);
    },
  );

  test.each([
    ["$filter=City ne 'Austin'", ["L3", "L4"]],
    ["$filter=contains(City,'''')", ["L3"]],
    ["$filter=Appliances/any(a:a eq 'Oven')", ["L1", "L2"]],
    ["$filter=View eq null", ["L3", "L5"]],
    ["$filter=ListPrice div 2 lt 200000", ["L3"]],
    ["$filter=ModificationTimestamp gt 2026-03-03T12:00:00-06:00", ["L4", "L5"]],
    ["$orderby=ListPrice", ["L4", "L3", "L5", "L1", "L2"]],
    ["$orderby=View desc,ListPrice&$skip=1&$top=3", ["L2", "L1", "L3"]],
    ["$top=0", []],
  ])("%s gives the listings %j", async (query, keys) => {
    expect(keysOf(await read(`/odata/Property?${query}`))).toEqual(keys);
  });

  test("the next links lead once past every listing", async () => {
    const walk: unknown[][] = [];
    let next: string | undefined = "/odata/Property?$orderby=City,ListPrice desc";
    while (next !== undefined) {
      const answer: Answer = await read(next, { prefer: "maxpagesize=2" });
      walk.push(keysOf(answer));
      next = answer["@odata.nextLink"];
    }
    expect(walk).toEqual([["L4", "L2"], ["L1", "L5"], ["L3"]]);
  });

  test("a next link goes on with no other filter", async () => {
    const { "@odata.nextLink": next = "" } = await read("/odata/Property?$filter=ListPrice gt 1", {
      prefer: "maxpagesize=1",
    });
    const answer = await get(next.replace("%20gt%201", "%20gt%202"));
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: "invalid_skip_token" } },
    ]);
  });

  test.each([
    ["/odata/Property?$expand=Media", 400, "unknown_property"],
    ["/odata/Property?$deltatoken=x", 501, "not_implemented"],
    ["/odata/Property?$top=many", 400, "invalid_option"],
    ["/odata/Property?$filter=%FF", 400, "invalid_encoding"],
    ["/odata/Properties", 404, "not_found"],
  ])("%s is refused with %i %s", async (target, status, code) => {
    const answer = await get(target);
    expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code } }]);
  });

  test("the metadata names what the answers have", async () => {
    const metadata = await (await get("/odata/$metadata")).text();
    expect(metadata).toContain(`<Property Name="Appliances" Type="Collection(Edm.String)"`);
  });
}
