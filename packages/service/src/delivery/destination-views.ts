import type { Destination, IssuedDestination } from "@cadastre/delivery";

const instant = (at: number): string => new Date(at).toISOString();

/** Returns the JSON of a destination: the members of the request in its spelling, then its state. */
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

/** Returns the JSON of a destination with its external id, which is only shown in this answer. */
export const issuedView = ({ destination, externalId }: IssuedDestination) => ({
  ...destinationView(destination),
  externalId,
});
