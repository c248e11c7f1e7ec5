import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, query } from "../support/ask.ts";
import { type Running, run } from "../support/running.ts";

/** Number of requests of the light customer. More of them give better figures: `CASES=500 vitest run …` prints them. */
const cases = Number(process.env["CASES"] ?? 40);

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "1000", CADASTRE_SCAN_SECONDS: "20" });
}, 120_000);
afterAll(() => running.stop());

const get = (customer: string, options: Readonly<Record<string, string | number>>) =>
  ask(running.service.baseUrl, `/reso/odata/Property${query(options)}`, {
    "x-api-key": running.key(customer),
  });

/** Query options that read every record and match long patterns. */
const scan = (nth: number) => ({
  $filter: Array.from(
    { length: 40 },
    (_, k) => `matchesPattern(PublicRemarks,'(a|e|i)+.*x{2}q${nth}${k}')`,
  ).join(" or "),
});

const light = { $filter: "City eq 'Austin'", $top: 20, $select: "ListingKey,City,ListPrice" };

async function timesOf(count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    const { status } = await get("state", light);
    times.push(performance.now() - start);
    expect(status).toBe(200);
  }
  return times.toSorted((a, b) => a - b);
}

const at = (times: readonly number[], share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;

test("a customer who scans does not keep another one waiting, and is refused beyond its own share", async () => {
  await timesOf(20);
  const alone = await timesOf(cases);
  const refused: Record<string, number> = {};
  let isOver = false;
  const heavy = Array.from({ length: 16 }, async (_, i) => {
    while (!isOver) {
      const { status, text } = await get("national", scan(i));
      if (status === 200) continue;
      const { code } = (JSON.parse(text) as { error: { code: string } }).error;
      refused[code] = (refused[code] ?? 0) + 1;
      await new Promise((resolve) => void setTimeout(resolve, 50));
    }
  });
  await new Promise((resolve) => void setTimeout(resolve, 500));
  const beside = await timesOf(cases);
  isOver = true;
  await Promise.all(heavy);
  console.info(
    `alone p50 ${at(alone, 0.5).toFixed(1)} ms, p99 ${at(alone, 0.99).toFixed(1)}; beside 16 scans p50 ${at(beside, 0.5).toFixed(1)}, p99 ${at(beside, 0.99).toFixed(1)}; refused ${JSON.stringify(refused)}`,
  );
  // A scan takes seconds. Without fair shares the light customer would wait for all of them.
  expect(at(beside, 0.9)).toBeLessThan(1000);
  expect(
    Object.keys(refused).every((code) =>
      ["scan_limit_reached", "service_busy", "query_timeout"].includes(code),
    ),
  ).toBe(true);
}, 180_000);
