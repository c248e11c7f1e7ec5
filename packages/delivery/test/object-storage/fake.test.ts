import { afterAll, beforeAll } from "vitest";
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
