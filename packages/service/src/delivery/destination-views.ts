import type { Destination, IssuedDestination } from "@cadastre/delivery";

const instant = (at: number): string => new Date(at).toISOString();

/** A destination: what was asked for in the spelling of the request, then what it is by now. */
export const destinationView = (destination: Destination) => ({
  id: destination.id,
  status: destination.state,
  bucket: destination.bucket,
  region: destination.region,
  prefix: destination.prefix,
  roleArn: destination.roleArn,
  kmsKeyArn: destination.kmsKeyArn,
  failure: destination.failure === null ? null : { code: destination.failure },
  last_verified_at: destination.verified === null ? null : instant(destination.verified),
  created_at: instant(destination.created),
});

/** With the external id, which is told this once. */
export const issuedView = ({ destination, externalId }: IssuedDestination) => ({
  ...destinationView(destination),
  externalId,
});
