import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { odata } from "../src/express/index.ts";
import { unrestricted } from "../src/index.ts";
import { arraySource } from "../src/memory/index.ts";
import { entitySet, integer, one, text } from "../src/model/index.ts";
import { postgresSource } from "../src/pg/index.ts";
import { sqliteSource } from "../src/sqlite/index.ts";

const Town = entitySet("Town", { key: { Name: text() }, properties: {} });
const Street = entitySet("Street", {
  key: { Town: text(), Number: integer() },
  properties: { Label: text().nullable() },
  navigation: { InTown: one("Town", { Town: "Name" }) },
});
const options = {
  namespace: "Map",
  entitySets: [Town, Street],
  source: arraySource({ Town: [{ Name: "York" }], Street: [] }),
  restrict: unrestricted as typeof unrestricted,
};

test.each([
  [{ restrict: undefined }, "the option `restrict` must be `unrestricted`, or a function"],
  [{ namespace: "bad ns" }, "the option `namespace` must be one or more names"],
  [{ container: "a.b" }, "the option `container` must be a name"],
  [{ entitySets: Town }, "the option `entitySets` must be a list of entity sets"],
  [{ limits: { pageSize: 0 } }, "the option `limits.pageSize` must be a whole number, 1 or more"],
  [{ limits: { maxTop: "100" } }, "the option `limits.maxTop` must be a whole number, 1 or more"],
  [{ limits: { pagesize: 5 } }, "there is no option `limits.pagesize`, did you mean `pageSize`?"],
  [{ pageSize: 3 }, "there is no option `pageSize`, did you mean `limits.pageSize`?"],
  [{ baseURL: "https://x.example" }, "there is no option `baseURL`, did you mean `baseUrl`?"],
  [{ baseUrl: "/odata" }, "the option `baseUrl` must be an absolute URL"],
  [{ skipTokenKey: "secret" }, "the option `skipTokenKey` must be 32 bytes"],
  [{ version: 4 }, 'the option `version` must be "4.0" or "4.01"'],
])("a wrong option ends the start: %o", (wrong, message) => {
  expect(() => odata({ ...options, ...wrong } as never)).toThrow(
    expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) as string }),
  );
});

test("a source that is given something else says what it takes", () => {
  expect(() => sqliteSource("town.db" as never)).toThrow("new Database(file)");
  expect(() => postgresSource("postgres://" as never)).toThrow("new Pool(");
});

test("an address without an entity says why", async () => {
  const handle = odata(options);
  const server = createServer((request, response) => handle(request, response, () => {})).listen(
    0,
    "127.0.0.1",
  );
  await new Promise((resolve) => server.once("listening", resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const told = async (path: string) => {
    const answer = await fetch(root + path);
    const { error } = (await answer.json()) as { error: { message: string } };
    return `${answer.status} ${error.message.replace(/^.*?: /, "")}`;
  };
  expect({
    "/Towm": await told("/Towm"),
    "/Nothing": await told("/Nothing"),
    "/Town('Leeds')": await told("/Town('Leeds')"),
    "/Town(1)": await told("/Town(1)"),
    "/Street('York')": await told("/Street('York')"),
    "/Street(Town='York',Nr=1)": await told("/Street(Town='York',Nr=1)"),
    "/Town('York')/Nam": await told("/Town('York')/Nam"),
    "/Town('York')/Name/$count": await told("/Town('York')/Name/$count"),
    "/$all": await told("/$all"),
    "/$crossjoin(Town,Street)": await told("/$crossjoin(Town,Street)"),
    "/Town/$filter(true)": await told("/Town/$filter(true)"),
  }).toMatchInlineSnapshot(`
    {
      "/$all": "404 \`$all\` is no address here",
      "/$crossjoin(Town,Street)": "404 \`$crossjoin\` is no address here",
      "/Nothing": "404 there is no entity set \`Nothing\`",
      "/Street('York')": "404 the key of \`Street\` is \`Town\` (Edm.String) and \`Number\` (Edm.Int32): write \`Street(Town='…',Number=…)\`",
      "/Street(Town='York',Nr=1)": "404 the key of \`Street\` is \`Town\` (Edm.String) and \`Number\` (Edm.Int32): write \`Street(Town='…',Number=…)\`",
      "/Towm": "404 there is no entity set \`Towm\`, did you mean \`Town\`?",
      "/Town('Leeds')": "404 there is no entity of \`Town\` with this key",
      "/Town('York')/Nam": "404 \`Town\` has no property \`Nam\`, did you mean \`Name\`?",
      "/Town('York')/Name/$count": "404 \`Name\` is no collection, so it has no \`$count\`",
      "/Town(1)": "404 the key of \`Town\` is \`Name\` (Edm.String): write \`Town('…')\`",
      "/Town/$filter(true)": "404 \`$filter\` is no address of a collection",
    }
  `);
  await new Promise((resolve) => void server.close(resolve));
});
