import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "50" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const key = () => ({ "x-api-key": running.key("national") });

test.each([
  "/health/live",
  "/reso/odata",
  "/reso/odata/$metadata",
  "/reso/odata/Property?$select=ListingKey",
  "/reso/odata/Property/$count",
  "/reso/odata/Nope",
])(
  "%s: HEAD has the status and the headers of GET, and OPTIONS or a 405 says what is answered",
  async (target) => {
    const [get, head] = [await ask(base, target, key()), await ask(base, target, key(), "HEAD")];
    // A number of its own for each request.
    const { "x-request-id": _, date: __, ...headers } = get.headers;
    expect(head).toMatchObject({ status: get.status, headers, text: "" });
    const refused = await ask(base, target, key(), "DELETE");
    const allow = target.startsWith("/health") ? "GET, HEAD" : "GET, HEAD, OPTIONS";
    expect([refused.status, refused.headers["allow"]]).toEqual([405, allow]);
    if (allow.includes("OPTIONS")) {
      const options = await ask(base, target, key(), "OPTIONS");
      expect([options.status, options.headers["allow"]]).toEqual([204, allow]);
    }
  },
);
