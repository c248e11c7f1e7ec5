import { join } from "node:path";
import { connect, openTarget, pull, verifyFolder } from "@cadastre/client";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jwks, listings, makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { apiKey, json, startServer, type TestServer, type Trick } from "./support/server.ts";

const delivery = await makeDelivery({ datasets: { listing: listings(90) }, rowsPerPart: 15 });
const { deliveryId: id, parts } = delivery.manifest;
let server: TestServer;
beforeAll(async () => {
  server = await startServer(delivery);
});
afterAll(() => server.close());

/** Faults of answers, whoever causes them. */
const faults = {
  none: () => false,
  closed: (_, response) => !!response.destroy(),
  busy: (_, response) => json(response, 503, {}, { "retry-after": "0" }),
  broken: (_, response) => json(response, 500, {}),
  denied: (_, response) => json(response, 401, { error: "invalid_token" }),
  empty: (_, response) => !!response.end(),
  noise: (_, response) => !!response.end(Buffer.alloc(300, 7)),
  half: (_, response) => {
    response.writeHead(200, { "content-length": 5000 }).write(Buffer.alloc(100, 7));
    setTimeout(() => response.destroy(), 2);
    return true;
  },
  another: ({ url }, response, { deliveries }) =>
    url.endsWith("/redeem") && !!response.end(deliveries.get(id)?.parts.get(parts[0]?.number ?? 0)),
} as const satisfies Record<string, Trick>;

const fault = fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[]));

test("whatever befalls a pull, only what is whole is put in place, and a later one ends it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { maxLength: 20 }),
      fc.integer({ min: 1, max: 4 }),
      async (plan, parallel) => {
        const folder = emptyFolder();
        const connection = connect({
          url: server.url,
          apiKey,
          retryPolicy: { tries: 2, timeout: 2000, pause: 1 },
        });
        const target = await openTarget(folder);
        const once = () =>
          pull(connection, id, { target, staging: "", trust: jwks, parallel, reference: null });
        const ahead = plan.values();
        server.trick = (...request) => faults[ahead.next().value ?? "none"](...request);
        const first = await once().catch(() => undefined);
        const inPlace = filesIn(folder).some((file) => file.startsWith(id));
        expect(inPlace).toBe(first !== undefined);

        server.trick = faults.none;
        const last = await once();
        expect(last.standing).toBe(first === undefined ? "new" : "done");
        await verifyFolder(join(folder, id), { keys: jwks });
        expect(filesIn(folder)).toHaveLength(parts.length + 3);
      },
    ),
    { numRuns: Number(process.env["CASES"] ?? 12) },
  );
});
