import { batchParser, type ProtocolError } from "@cadastre/server/parts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exceedsValueCount } from "../src/http/request-body.ts";
import { ask } from "./support/ask.ts";
import { errorBody } from "./support/error-body.ts";
import { type Running, run } from "./support/running.ts";

const megabyte = 1_048_576;
const fill = (piece: string) => piece.repeat(Math.floor(megabyte / piece.length));
const list = (count: number, item: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => item(i)).join();
const request = (i: number, more = "") => `{"id":"${i}","method":"GET","url":"Property"${more}}`;
const batch = (requests: string) => `{"requests":[${requests}]}`;

const readJsonBatch = batchParser("application/json");
const readMultipartBatch = batchParser("multipart/mixed;boundary=b");

/** The code and the place that the reader of a batch refuses with. */
function refusalOf(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    const { code, details } = error as ProtocolError;
    return details.target === undefined ? code : `${code} ${details.target}`;
  }
}

describe("values of JSON are counted before it is parsed", () => {
  test.each([
    ["[]", 2],
    ["[1,2]", 3],
    ['{"a":{"b":[1,2]},"c":3}', 6],
    ['["a,b[{","\\\\",",\\",[{"]', 4],
    ['["', 2],
    ['["\\', 2],
  ])("%s has at most %i", (text, count) => {
    expect([exceedsValueCount(text, count), exceedsValueCount(text, count - 1)]).toEqual([false, true]);
  });
});

describe("a batch is counted before its schema is checked", () => {
  test.each([
    ["340,000 empty objects", batch(`${fill("{},")}{}`), "body_too_large"],
    ["500,000 numbers", batch(`${fill("1,")}1`), "body_too_large"],
    ["500,000 numbers elsewhere", `{"other":[${fill("1,")}1]}`, "body_too_large"],
    ["a million brackets", fill("["), "body_too_large"],
    ["a member a hundred thousand times", `{${fill('"a":1,')}"a":1}`, "body_too_large"],
    ["one request too many", batch(list(101, request)), "body_too_large"],
    ["empty objects, as many as it may have", batch(list(100, () => "{}")), "invalid_batch requests[0].id"],
    ["as many requests as it may have", batch(list(100, request)), "read"],
    [
      "requests with five headers each",
      batch(list(100, (i) => request(i, `,"headers":{${list(5, (n) => `"h${n}":"x"`)}}`))),
      "read",
    ],
    ["a long text", batch(request(1, `,"body":"${fill("[,{")}"`)), "read"],
  ])("%s", (_, text, expected) => {
    expect(refusalOf(() => readJsonBatch(text, 100))).toBe(expected);
  });

  const part = "--b\nContent-Type: application/http\n\nGET Property HTTP/1.1\n\n\n";
  test.each([
    ["parts without end", fill(part), "body_too_large"],
    ["one part too many", `${part.repeat(101)}--b--`, "body_too_large"],
    ["as many parts as it may have", `${part.repeat(100)}--b--`, "read"],
    ["nothing but delimiters", fill("--b\n"), "body_too_large"],
    ["a part of 200,000 headers", `--b\n${fill("a: b\n")}\n--b--`, "invalid_batch part 1"],
    [
      "a request of 200,000 headers",
      `${part.slice(0, -2)}${fill("a: b\n")}\n\n--b--`,
      "invalid_batch part 1",
    ],
  ])("%s", (_, text, expected) => {
    expect(refusalOf(() => readMultipartBatch(text, 100))).toBe(expected);
  });

  test("the body of a request may have empty lines", () => {
    const text = `${part.slice(0, -1)}$filter=a\n\n$top=1\n--b--`;
    expect(readMultipartBatch(text, 1).items.map(({ body }) => body)).toEqual(["$filter=a\n\n$top=1"]);
  });
});

describe("a service", () => {
  let running: Running;
  beforeAll(async () => {
    running = await run({ CADASTRE_LISTINGS: "60" });
  });
  afterAll(() => running.stop());

  const post = (address: string, body: string) =>
    ask(
      running.service.baseUrl,
      address,
      { "x-api-key": running.key("national"), "content-type": "application/json" },
      "POST",
      body,
    );

  test("refuses a megabyte of objects, and bodies of more values than any address takes", async () => {
    const refused = await post("/reso/odata/$batch", batch(fill("{},").slice(0, -20)));
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      413,
      { error: { code: "body_too_large" } },
    ]);
    const events = await post(
      "/v1/webhooks",
      `{"url":"https://a.example/","events":[${list(5000, () => "1")}]}`,
    );
    expect([events.status, JSON.parse(events.text)]).toEqual([400, errorBody("invalid_request")]);
  });

  test("answers others between the requests of a batch that are refused at once", async () => {
    const requests = Array.from({ length: 100 }, (_, i) => ({
      id: String(i),
      method: "GET",
      url: `Property?$filter=${"(".repeat(60)}${"a".repeat(9000)}`,
    }));
    let isDone = false;
    const asked = ask(
      running.service.baseUrl,
      "/reso/odata/$batch",
      {
        "x-api-key": running.key("national"),
        "content-type": "application/json",
        prefer: "continue-on-error",
      },
      "POST",
      JSON.stringify({ requests }),
    ).finally(() => {
      isDone = true;
    });
    // The service runs in this process: timers fire only where it lets the event loop turn.
    let turns = 0;
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect((await asked).status).toBe(200);
    expect(turns).toBeGreaterThan(100);
  });
});

describe("headers", () => {
  let running: Running;
  beforeAll(async () => {
    running = await run({ CADASTRE_LISTINGS: "60", CADASTRE_TRUST_PROXY: "1" });
  });
  afterAll(() => running.stop());

  const long = 60_000;
  const hostile: readonly (readonly [string, string])[] = [
    "forwarded",
    "x-forwarded-for",
    "accept",
    "accept-encoding",
    "prefer",
    "if-none-match",
    "odata-maxversion",
  ].flatMap((name) =>
    ["a", "a=", 'a="', '"', ",", ", ", ";", "; ", ";q=", "=", " ", "\\", "[", ":1", "*/", "W/"].map(
      (piece) => [name, `x${piece.repeat(long / piece.length)}x`] as const,
    ),
  );

  test("none takes more than time that grows with its length", { timeout: 60_000 }, async () => {
    const slow: string[] = [];
    for (const [name, value] of hostile) {
      const started = process.cpuUsage();
      const reply = await ask(running.service.baseUrl, "/reso/odata", {
        "x-api-key": running.key("national"),
        [name]: value,
      });
      const { user } = process.cpuUsage(started);
      expect(reply.status).toBeLessThan(500);
      // Quadratic time is seconds: the service and this test together take a few milliseconds.
      if (user > 500_000) slow.push(`${name}: ${value.slice(0, 10)}… took ${user / 1000} ms`);
    }
    expect(slow).toEqual([]);
  });
});
