import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bucketCustomer, makeCustomer } from "../../src/testing/object-storage/customer.ts";
import { startFakeObjectServer } from "../../src/testing/object-storage/fake/server.ts";
import type { ObjectServer } from "../../src/testing/object-storage/server.ts";
import { bucketConformance } from "./buckets.ts";
import { destinationConformance } from "./destinations.ts";
import { bucketPartsConformance } from "./parts.ts";
import { publicationConformance } from "./publications.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startFakeObjectServer();
});
afterAll(() => server.stop());

bucketConformance("the fake", () => server);
destinationConformance("the fake", () => server);
publicationConformance("the fake", () => server);
bucketPartsConformance("the fake", () => server);

test("a store that overwrites objects is no destination", async () => {
  const overwriting = await startFakeObjectServer({ overwrites: true });
  const customer = await makeCustomer(overwriting, { terms: { privateStores: [overwriting.endpoint] } });
  onTestFinished(async () => {
    await customer.close();
    await overwriting.stop();
  });
  const { destinations, bucket } = customer;
  const wanted = { bucket, prefix: "own", endpoint: overwriting.endpoint, ...overwriting.owner };
  const { destination } = await destinations.reserve(bucketCustomer, wanted);
  expect(await destinations.verify(bucketCustomer, destination.id)).toMatchObject({
    state: "degraded",
    failure: "overwrites_objects",
  });
  expect(await customer.look("own")).toEqual([]);
});

test("a store whose name leads to this machine is not connected to", async () => {
  const { destinations, bucket, close } = await makeCustomer(server);
  onTestFinished(close);
  // A public name of 127.0.0.1 cannot be relied on; the look-up itself is tested with names in `outbound`.
  const wanted = { bucket, prefix: "own", endpoint: server.endpoint, ...server.owner };
  await expect(destinations.reserve(bucketCustomer, wanted)).rejects.toMatchObject({
    code: "invalid_endpoint",
  });
});
