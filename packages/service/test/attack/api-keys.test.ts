import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect } from "vitest";
import { createApiKey } from "../../src/access/key-text.ts";
import { type Attacked, attack, startUnderAttack, strength } from "./under-attack.ts";
import { requireUnharmed } from "./unharmed.ts";

let service: Attacked;
beforeAll(async () => {
  service = await startUnderAttack({ CADASTRE_TRUST_PROXY: "loopback" });
}, 120_000);
afterAll(() => service.stop());

/** Number of concurrent requests. */
const atOnce = 20;

attack.each<[string, (nth: number) => string]>([
  ["one address", () => "192.0.2.1"],
  ["as many addresses", (nth) => `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`],
])(
  "ten thousand random keys from %s are refused, and slow no customer",
  async (_from, addressOf) => {
    const { hostname, port } = new URL(service.baseUrl);
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    const statuses = new Map<number, number>();
    let left = 10_000 * strength;
    const guess = () =>
      new Promise<void>((resolve, reject) => {
        const headers = { "x-api-key": createApiKey(), "x-forwarded-for": addressOf(left) };
        const path = "/reso/odata/Property";
        request({ agent, hostname, port, path, headers, method: "HEAD" }, (response) => {
          const { statusCode = 0 } = response;
          statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
          response.resume().on("end", resolve);
        })
          .on("error", reject)
          .end();
      });
    const seen = await service.during(async () => {
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (left-- > 0) await guess();
        }),
      );
    });
    agent.destroy();
    expect([...statuses.keys()].filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect(statuses.get(401)).toBeGreaterThan(0);
    requireUnharmed(seen);
  },
  120_000,
);
