import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { Customer } from "../../../delivery/test/support/object-storage/customer.ts";
import { policyOf } from "../../../delivery/test/support/object-storage/onboarding.ts";
import {
  customerAccount,
  kmsKeyArns,
  type ObjectServer,
  region,
  servicePrincipal,
} from "../../../delivery/test/support/object-storage/server.ts";
import type { Reply } from "./ask.ts";
import { type customerOf, dataOf } from "./deliveries.ts";

export const destinationsRoot = "/v1/file-export-destinations";

export type Destination = {
  readonly id: string;
  readonly status: string;
  readonly prefix: string;
  readonly failure: { readonly code: string } | null;
};

/** As it is told to who has just reserved it, or has had its external id changed. */
export type Untrusted = Destination & { readonly externalId: string };

type Reserved = Untrusted & {
  /** What was asked for, and the answer. */
  readonly body: ReturnType<typeof destinationIn>;
  readonly reply: Reply;
};

let made = 0;

/** A place of a bucket that nobody else has, as it is asked for. */
function destinationIn(bucket: string) {
  const roleArn = `arn:aws:iam::${customerAccount}:role/cadastre/file-delivery/journey-${++made}`;
  return { bucket, region, prefix: `deliveries/journey-${made}`, roleArn, kmsKeyArn: kmsKeyArns[0] };
}

/** How a customer has destinations: asks the service for them, and makes the roles that write to its bucket. */
export function destinationsOf(
  national: ReturnType<typeof customerOf>,
  { bucket }: Customer,
  { makeRole }: ObjectServer,
) {
  const wanted = () => destinationIn(bucket);

  /** Reserve a destination; what its bucket's owner does then is left to `trust`. */
  const reserve = async (): Promise<Reserved> => {
    const body = wanted();
    const reply = await national.post(destinationsRoot, body);
    expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
    return { reply, body, ...dataOf<Untrusted>(reply) };
  };
  /** Do what the onboarding page says. */
  const trust = ({ body, externalId }: Reserved): void => {
    const words = {
      SERVICE_PRINCIPAL: servicePrincipal,
      EXTERNAL_ID: externalId,
      BUCKET: body.bucket,
      PREFIX: body.prefix,
      KMS_KEY_ARN: body.kmsKeyArn,
    };
    makeRole({
      name: body.roleArn.split("/").at(-1) ?? "",
      trust: policyOf("Trust policy", words),
      permissions: policyOf("Permissions", words),
    });
  };
  const find = async (id: string): Promise<Destination> =>
    dataOf(await national.get(`${destinationsRoot}/${id}`));
  /** Have it verified, and give what came of it. */
  const verified = async (id: string): Promise<Destination> => {
    const reply = await national.post(`${destinationsRoot}/${id}/verify`, {});
    expect([reply.status, dataOf<Destination>(reply).status]).toEqual([202, "verifying"]);
    for (;;) {
      const seen = await find(id);
      if (seen.status !== "verifying") return seen;
      await setTimeout(50);
    }
  };
  /** A destination that is active. */
  const onboarded = async (): Promise<Reserved> => {
    const reserved = await reserve();
    trust(reserved);
    expect(await verified(reserved.id)).toMatchObject({ status: "active", failure: null });
    return reserved;
  };
  return { wanted, reserve, trust, find, verified, onboarded };
}
