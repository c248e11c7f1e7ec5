import { setTimeout } from "node:timers/promises";
import type { Customer } from "@cadastre/delivery/testing";
import {
  bucketRegion,
  customerAccount,
  kmsKeyArns,
  type ObjectServer,
  policyOf,
  servicePrincipal,
} from "@cadastre/delivery/testing";
import { expect } from "vitest";
import type { Reply } from "./ask.ts";
import { type customerOf, dataOf } from "./deliveries.ts";

export const destinationsRoot = "/v1/file-export-destinations";

export type Destination = {
  readonly id: string;
  readonly status: string;
  readonly prefix: string;
  readonly failure: { readonly code: string } | null;
};

/** A destination with its external id, which is returned only when it is reserved or its external id is replaced. */
export type Untrusted = Destination & { readonly externalId: string };

type Reserved = Untrusted & {
  /** The body of the request, and the reply. */
  readonly body: ReturnType<typeof destinationIn>;
  readonly reply: Reply;
};

let made = 0;

/** Returns the body of a request for a destination with an unused prefix in the bucket. */
function destinationIn(bucket: string) {
  const roleArn = `arn:aws:iam::${customerAccount}:role/cadastre/file-delivery/journey-${++made}`;
  return {
    bucket,
    region: bucketRegion,
    prefix: `deliveries/journey-${made}`,
    roleArn,
    kmsKeyArn: kmsKeyArns[0],
  };
}

/** Returns operations on a customer's destinations: requests to the service, and the roles with which it writes to the bucket. */
export function destinationsOf(
  national: ReturnType<typeof customerOf>,
  { bucket }: Customer,
  { makeRole }: ObjectServer,
) {
  const wanted = () => destinationIn(bucket);

  /** Reserves a destination, without the role, which `trust` creates. */
  const reserve = async (): Promise<Reserved> => {
    const body = wanted();
    const reply = await national.post(destinationsRoot, body);
    expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
    return { reply, body, ...dataOf<Untrusted>(reply) };
  };
  /** Creates the role as the onboarding page describes. */
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
  /** Requests a verification and returns the destination once it has ended. */
  const verified = async (id: string): Promise<Destination> => {
    const reply = await national.post(`${destinationsRoot}/${id}/verify`, {});
    expect([reply.status, dataOf<Destination>(reply).status]).toEqual([202, "verifying"]);
    for (;;) {
      const seen = await find(id);
      if (seen.status !== "verifying") return seen;
      await setTimeout(50);
    }
  };
  /** Returns an active destination. */
  const onboarded = async (): Promise<Reserved> => {
    const reserved = await reserve();
    trust(reserved);
    expect(await verified(reserved.id)).toMatchObject({ status: "active", failure: null });
    return reserved;
  };
  return { wanted, reserve, trust, find, verified, onboarded };
}
