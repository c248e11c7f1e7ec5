import { beforeAll, describe } from "vitest";
import { hasRadosgw, radosgwStart, startRadosgw } from "../support/object-storage/radosgw.ts";
import type { ObjectServer } from "../support/object-storage/server.ts";
import { bucketConformance } from "./buckets.ts";
import { destinationConformance } from "./destinations.ts";
import { bucketPartsConformance } from "./parts.ts";
import { publicationConformance } from "./publications.ts";

// Where it must be there, as `.ci/run` says, its absence is an error.
const isRequired = process.env["RADOSGW"] === "required";
if (!hasRadosgw && !isRequired)
  console.warn("no radosgw is installed: buckets are tested against the fake alone");

describe.skipIf(!hasRadosgw && !isRequired)("Ceph's object gateway", () => {
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
