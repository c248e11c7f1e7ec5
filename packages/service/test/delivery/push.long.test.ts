import type { ObjectServer } from "@cadastre/delivery/testing";
import { radosgwStart, startFakeObjectServer, startRadosgw } from "@cadastre/delivery/testing";
import { afterAll, beforeAll, describe } from "vitest";
import { pushJourney } from "./push/journey.ts";

describe("an object server within the process", () => {
  let server: ObjectServer;
  beforeAll(async () => {
    server = await startFakeObjectServer();
  });
  afterAll(() => server.stop());
  pushJourney("the fake", () => server, true);
});

// It takes a minute: the suites of packages/delivery hold a gateway and the fake to the same, and `.ci/run` asks for this one.
const isAsked = process.env["PUSH"] === "radosgw";
describe.skipIf(!isAsked)("Ceph's object gateway, where PUSH=radosgw asks for it", () => {
  let server: ObjectServer;
  beforeAll(async () => {
    server = await startRadosgw();
    return () => server.stop();
  }, radosgwStart);
  pushJourney("radosgw", () => server, false);
});
