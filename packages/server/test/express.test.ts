import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { odata } from "../src/express/index.ts";
import { everything, filter, HttpError } from "../src/index.ts";
import { arraySource } from "../src/memory/index.ts";
import { entitySets, rows } from "./support/office.ts";

const errors: unknown[] = [];
const handler = odata({
  namespace: "Office",
  entitySets,
  source: arraySource(rows),
  limits: { pageSize: 2 },
  authorize: ({ headers }) => {
    if (headers["x-key"] === undefined)
      throw new HttpError(401, "unauthorized", "send a key in `x-key`", { "www-authenticate": "Key" });
  },
  restrict: ({ headers }) => ({
    Listing: filter("City eq @city or @city eq null", { city: headers["x-city"]?.toString() ?? null }),
    Photo: everything,
    Agent: everything,
  }),
  onError: (error) => errors.push(error),
});

let server: Server;
let root: string;
beforeAll(async () => {
  const app = express();
  app.use("/api/odata", handler);
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/odata`;
});
afterAll(() => new Promise((resolve) => void server.close(resolve)));

const key = { "x-key": "1" };
const ask = (path: string, { headers, ...init }: RequestInit = {}) =>
  fetch(root + path, { ...init, headers: { ...key, ...(headers as Record<string, string>) } });

describe("in Express", () => {
  test("links lead to where the service is mounted", async () => {
    const answer = await ask("/Listing?$select=ListingKey", { headers: { prefer: "maxpagesize=3" } });
    const body = (await answer.json()) as Record<string, string>;
    expect(body["@odata.context"]).toBe(`${root}/$metadata#Listing(ListingKey)`);
    const next = (await (await fetch(body["@odata.nextLink"] ?? "", { headers: key })).json()) as {
      value: unknown[];
    };
    expect(next.value).toEqual([{ ListingKey: "L4" }]);
  });

  test("the page has as many records as the request states, up to the limit", async () => {
    const answer = await ask("/Listing?$top=3&$select=ListingKey");
    const body = (await answer.json()) as { value: unknown[] };
    expect([body.value.length, "@odata.nextLink" in body]).toEqual([3, false]);
  });

  test("related entities are answered page by page, to the end or to `$top`", async () => {
    const walked = async (path: string) => {
      const pages: unknown[][] = [];
      for (let url: string | undefined = root + path; url !== undefined; ) {
        const body = (await (await fetch(url, { headers: { ...key, prefer: "maxpagesize=1" } })).json()) as {
          value: { ListingKey: string }[];
          "@odata.nextLink"?: string;
        };
        pages.push(body.value.map(({ ListingKey }) => ListingKey));
        url = body["@odata.nextLink"];
      }
      return pages;
    };
    const all = (
      await walked("/Listing?$filter=AgentKey eq 1&$select=ListingKey&$orderby=ListingKey")
    ).flat();
    expect(all.length).toBeGreaterThan(1);
    const pages = await walked("/Agent(1)/Listings?$select=ListingKey&$orderby=ListingKey");
    expect(pages).toEqual(all.map((one) => [one]));
    expect(
      (await walked("/Agent(1)/Listings?$select=ListingKey&$orderby=ListingKey&$skip=1")).flat(),
    ).toEqual(all.slice(1));
    expect(await walked("/Agent(1)/Listings?$select=ListingKey&$orderby=ListingKey&$top=1")).toEqual([
      all.slice(0, 1),
    ]);
  });

  test("a request is refused by the host before anything is read", async () => {
    const answer = await fetch(`${root}/Listing`);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Key"]);
    expect(await answer.json()).toEqual({
      error: { code: "unauthorized", message: "send a key in `x-key`" },
    });
  });

  test("a header restricts, and its value is never a part of the filter", async () => {
    const count = async (city: string) =>
      (await ask("/Listing/$count", { headers: { "x-city": city } })).text();
    expect(await count("Austin")).toBe("2");
    expect(await count("O'Fallon")).toBe("1");
    expect(await count("x' or true or 'x' eq 'x")).toBe("0");
  });

  test("HEAD, OPTIONS and other methods", async () => {
    const head = await ask("/Listing", { method: "HEAD" });
    expect([head.status, await head.text(), head.headers.get("odata-version")]).toEqual([200, "", "4.0"]);
    expect((await ask("/Listing", { method: "OPTIONS" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect((await ask("/Listing", { method: "DELETE" })).status).toBe(405);
  });

  test("a known answer is not sent again", async () => {
    const first = await ask("/Listing('L1')");
    const again = await ask("/Listing('L1')", {
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  test("a query in a body", async () => {
    const answer = await ask("/Listing/$query", {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "$filter=City eq 'Austin'&$count=true&$top=0",
    });
    expect(await answer.json()).toMatchObject({ "@odata.count": 2, value: [] });
  });

  test("a batch", async () => {
    const answer = await ask("/$batch", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        requests: [
          { id: "1", method: "GET", url: "Listing/$count" },
          { id: "2", method: "GET", url: "/api/odata/Agent(1)?$select=Name" },
        ],
      }),
    });
    const { responses } = (await answer.json()) as { responses: { body: unknown }[] };
    expect(responses.map(({ body }) => body)).toEqual(["4", expect.objectContaining({ Name: "Ann" })]);
  });

  test("hostile requests are refused, and nothing fails", async () => {
    const statuses = await Promise.all(
      [
        "/Listing?$filter=City eq 'x",
        "/Listing?$top=100000",
        "/Listing?$skiptoken=x",
        "/Listing('%zz')",
        `/Listing?$filter=${"(".repeat(500)}true${")".repeat(500)}`,
        "/Listing?$expand=Photos($expand=None)",
        "/Listing?$search=austin&$search=x",
        "/Photo?$search=x",
        "/Listing('L1')/Nope",
        "/../../etc/passwd",
        "/Listing?$filter=__proto__ eq 1",
        "/constructor",
      ].map(async (path) => (await ask(path)).status),
    );
    expect(statuses).toEqual([400, 400, 400, 400, 413, 400, 400, 501, 404, 404, 400, 404]);
    expect(errors).toEqual([]);
  });
});
