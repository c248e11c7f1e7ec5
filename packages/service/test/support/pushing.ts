import { type Customer, customerAccount, makeCustomer, type ObjectServer } from "@cadastre/delivery/testing";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { customerOf } from "./deliveries.ts";
import { destinationsOf } from "./destinations.ts";
import { pushedDeliveriesOf } from "./pushed-deliveries.ts";
import { type Running, run } from "./running.ts";
import { subscriptionsOf } from "./subscriptions.ts";

/** A service with push enabled, one of its customers, and the customer's bucket. */
export type Pushing = ReturnType<typeof pushingOf>;

export function pushingOf(running: Running, owner: Customer, server: ObjectServer) {
  const national = customerOf(running);
  const deliveries = pushedDeliveriesOf(national, owner);
  return {
    running,
    owner,
    server,
    national,
    destinations: destinationsOf(national, owner, server),
    subscriptions: subscriptionsOf(national, deliveries),
    deliveries,
  };
}

/** Settings of a service and its workers that push to a server. */
export const pushSettings = ({ endpoint }: ObjectServer) => ({
  CADASTRE_PUSH: "true",
  CADASTRE_PUSH_ENDPOINT: endpoint,
  CADASTRE_PUSH_STORES: endpoint,
  CADASTRE_LEASE_SECONDS: "3",
});

/** Starts one service with push for all tests of a suite, and removes injected faults of the server after each test. */
export function usePushing(serverOf: () => ObjectServer): () => Pushing {
  let pushing: Pushing;
  beforeAll(async () => {
    const server = serverOf();
    const owner = await makeCustomer(server);
    if (!server.isOwnersWhatRolesWrite) await owner.guard(readableByOwner(owner.bucket));
    const { accessKeyId, secretAccessKey } = server.service;
    vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
    const settings = { CADASTRE_LISTINGS: "150", CADASTRE_PART_BYTES: "262144", ...pushSettings(server) };
    pushing = pushingOf(await run(settings), owner, server);
  });
  afterEach(() => serverOf().failWhen(undefined));
  afterAll(async () => {
    vi.unstubAllEnvs();
    await pushing.running.stop();
    await pushing.owner.close();
  });
  return () => pushing;
}

/** Returns a bucket policy that lets the bucket's owner read its objects, whoever has written them. */
const readableByOwner = (bucket: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: `arn:aws:iam::${customerAccount}:user/owner` },
        Action: "s3:GetObject",
        Resource: `arn:aws:s3:::${bucket}/*`,
      },
    ],
  });
