import { beforeAll, describe } from "vitest";
import { radosgwStart, startRadosgw } from "../../src/testing/object-storage/radosgw.ts";
import type { ObjectServer } from "../../src/testing/object-storage/server.ts";
import { bucketConformance } from "./buckets.ts";
import { destinationConformance } from "./destinations.ts";
import { bucketPartsConformance } from "./parts.ts";
import { publicationConformance } from "./publications.ts";

// It takes a cluster of its own, so it is left to `.ci/run`, where it must be there.
const isAsked = process.env["RADOSGW"] === "required";
if (!isAsked) console.warn("without RADOSGW=required, buckets are tested against the fake alone");

describe.skipIf(!isAsked)("Ceph's object gateway", () => {
  let server: ObjectServer;
  beforeAll(async () => {
    server = await startRadosgw();
    return () => server.stop();
  }, radosgwStart);

  bucketConformance("radosgw", () => server);
  destinationConformance("radosgw", () => server);
  publicationConformance("radosgw", () => server);
  bucketPartsConformance("radosgw", () => server);
});
