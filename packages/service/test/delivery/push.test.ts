import { afterAll, beforeAll, describe } from "vitest";
import { startFakeObjectServer } from "../../../delivery/test/support/object-storage/fake/server.ts";
import {
  hasRadosgw,
  radosgwStart,
  startRadosgw,
} from "../../../delivery/test/support/object-storage/radosgw.ts";
import type { ObjectServer } from "../../../delivery/test/support/object-storage/server.ts";
import { pushJourney } from "./push-journey.ts";

describe("an object server within the process", () => {
  let server: ObjectServer;
  beforeAll(async () => {
    server = await startFakeObjectServer();
  });
  afterAll(() => server.stop());
  pushJourney("the fake", () => server, true);
});

// Where it must be there, as `.ci/run` says, its absence is an error.
const isRequired = process.env["RADOSGW"] === "required";
describe.skipIf(!hasRadosgw && !isRequired)("Ceph's object gateway", () => {
  let server: ObjectServer;
  beforeAll(async () => {
    server = await startRadosgw();
    return () => server.stop();
  }, radosgwStart);
  pushJourney("radosgw", () => server, false);
});
