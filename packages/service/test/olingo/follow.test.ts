/*
 * A client of others keeps a copy by delta links: that of Apache Olingo, which is written in Java.
 *
 * Its requests and our answers are recorded in `golden/exchange.json`; here the requests are sent again, and the answers must be as they were. With
 * the class path of Olingo's client core and its dependencies the client itself runs, its copies are compared, and `--update` records anew:
 *
 *   OLINGO=<class path> vitest run packages/service/test/olingo [--update]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { StoredRecord, WritableStore } from "@cadastre/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { engines } from "../interference/engines.ts";
import type { Grants } from "../interference/projection.ts";
import { openSide, type Side } from "../interference/side.ts";
import { datasets, recordNames, systems } from "../interference/universe.ts";

const { OLINGO } = process.env;
const recording = new URL("./golden/exchange.json", import.meta.url);

const texas: Grants = {
  regions: [{ kind: "state", value: "TX" }],
  datasets: [
    {
      dataset_id: datasets[0],
      resources: Object.fromEntries(recordNames.map((name) => [name, { fields: "*" }])),
    },
  ],
};

const listing = (key: string, City: string, ListPrice: number, StateOrProvince = "TX"): StoredRecord => ({
  resource: "Property",
  datasetId: datasets[0],
  record: {
    ListingKey: key,
    OriginatingSystemName: systems[0],
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince,
    City,
    ListPrice,
  },
});

/** What is stored at each step: records change, enter and leave the filter and the state, are deleted and come again; nothing changes in the end. */
const history: readonly (readonly StoredRecord[])[] = [
  [
    listing("p0", "Austin", 1),
    listing("p1", "Austin", 2),
    listing("p2", "Austin", 3),
    listing("p3", "Bend", 4),
  ],
  [
    listing("p0", "Austin", 10),
    listing("p1", "Bend", 2),
    listing("p2", "Austin", 3, "OR"),
    listing("p3", "Austin", 4),
  ],
  [
    listing("p1", "Austin", 2),
    listing("p2", "Austin", 3),
    listing("p4", "Austin", 5),
    listing("p5", "Austin", 6),
  ],
  [
    listing("p0", "Austin", 7),
    listing("p1", "Austin", 2),
    listing("p4", "Austin", 5),
    listing("p5", "Austin", 6),
  ],
  [
    listing("p0", "Austin", 7),
    listing("p1", "Austin", 2),
    listing("p4", "Austin", 5),
    listing("p5", "Austin", 6),
  ],
];
const address =
  "/reso/odata/Property?$filter=City%20eq%20'Austin'&$select=ListingKey,ListPrice,City&$top=1000";
const formats = ["application/json;odata.metadata=minimal", "application/json;odata.metadata=full"] as const;

type Exchange = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;
};

let store: WritableStore;
let side: Side;
let stop: () => Promise<void>;
beforeAll(async () => {
  const engine = await engines[process.env["DATABASE"] === "postgres" ? "PostgreSQL" : "SQLite"]?.();
  if (engine === undefined) throw new Error("there is no such database");
  store = (await engine.open("olingo")) as WritableStore;
  side = await openSide(store);
  side.admit({ one: texas, other: texas });
  stop = async () => {
    await side.stop();
    await store.close();
    await engine.close();
  };
});
afterAll(() => stop());

/** Sends requests as the client did, and names the tokens of links by their order, since they are sealed. */
function exchanging(base: string) {
  const tokens: string[] = [];
  const named = (given: string) =>
    given.replaceAll(/(\$(?:delta|skip)token=)([^"&]+)/g, (_, option: string, token: string) => {
      if (!tokens.includes(token)) tokens.push(token);
      return `${option}${tokens.indexOf(token)}`;
    });
  const sealed = (path: string) =>
    path.replace(
      /(\$(?:delta|skip)token=)(\d+)$/,
      (_, option: string, at: string) => option + tokens[Number(at)],
    );
  const send = async (path: string, headers: Exchange["headers"]) => {
    const { status, headers: answered, text } = await side.ask("one", path, { headers });
    const answer = JSON.parse(named(text)) as Exchange["answer"];
    const exchange = { path: named(path), headers, status, answer };
    return {
      exchange,
      type: String(answered["content-type"]),
      text: text.replaceAll("https://feed.example", base),
    };
  };
  return { send, sealed };
}

/** Values of the records that a fresh walk finds, in the order of their keys. */
async function freshCopy(): Promise<readonly string[]> {
  const { text } = await side.ask("one", `${address}&$orderby=ListingKey`);
  const { value } = JSON.parse(text) as { value: readonly Readonly<Record<string, unknown>>[] };
  return value.map(
    (one) =>
      `{City=${String(one["City"])}, ListPrice=${String(one["ListPrice"])}, ListingKey=${String(one["ListingKey"])}}`,
  );
}

/** Headers that say what is asked for. */
const asking = new Set(["accept", "content-type", "odata-version", "odata-maxversion", "prefer"]);

async function record(format: string): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  let link = exchanging("");
  const proxy = createServer((request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        asking.has(name) ? [[name, String(value)]] : [],
      ),
    );
    link.send(String(request.url), headers).then(
      ({ exchange, type, text }) => {
        exchanges.push(exchange);
        response.writeHead(exchange.status, { "content-type": type }).end(text);
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  link = exchanging(base);
  await side.fill(history[0] ?? []);
  const program = new URL("./Follow.java", import.meta.url).pathname;
  const client = spawn("java", ["-cp", String(OLINGO), program, base + address, "ListingKey", format]);
  const failure = text(client.stderr);
  const copies = linesOf(client.stdout);
  for (const [step, world] of history.entries()) {
    if (step > 0) {
      await side.fill(world);
      client.stdin.write("\n");
    }
    const copy = await copies();
    expect(copy ?? (await failure), `step ${step}`).toEqual(await freshCopy());
  }
  client.stdin.end();
  proxy.close();
  return exchanges;
}

/** Reads lines up to an empty one at each call; undefined at the end. */
function linesOf(stream: NodeJS.ReadableStream) {
  let rest = "";
  const chunks = stream[Symbol.asyncIterator]();
  return async (): Promise<readonly string[] | undefined> => {
    for (;;) {
      const end = rest.startsWith("\n") ? 0 : rest.indexOf("\n\n") + 1;
      if (end > 0 || rest.startsWith("\n")) {
        const lines = rest.slice(0, end).split("\n").filter(Boolean);
        rest = rest.slice(end + 1);
        return lines;
      }
      const next = await chunks.next();
      if (next.done) return undefined;
      rest += String(next.value);
    }
  };
}

const recorded = (): Readonly<Record<string, readonly Exchange[]>> =>
  JSON.parse(readFileSync(recording, "utf8")) as Record<string, readonly Exchange[]>;

test.skipIf(OLINGO === undefined)(
  "Olingo's client keeps an exact copy (needs Java, and OLINGO with its class path)",
  { timeout: 120_000 },
  async () => {
    const exchanges: Record<string, readonly Exchange[]> = {};
    for (const format of formats) exchanges[format] = await record(format);
    await expect(`${JSON.stringify(exchanges, null, 1)}\n`).toMatchFileSnapshot(recording.pathname);
  },
);

test.each(formats)(
  "the requests that Olingo's client has sent for %s are answered as they were",
  async (format) => {
    const { send, sealed } = exchanging("");
    let step = -1;
    let isDone = true;
    for (const { path, headers, status, answer } of recorded()[format] ?? []) {
      if (isDone) await side.fill(history[++step] ?? []);
      isDone = "@odata.deltaLink" in answer;
      const { exchange } = await send(sealed(path), headers);
      expect([exchange.status, exchange.answer], path).toEqual([status, answer]);
    }
    expect(step).toBe(history.length - 1);
  },
);
