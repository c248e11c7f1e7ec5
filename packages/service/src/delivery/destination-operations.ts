import { destinationFailures, destinationTransitions } from "@cadastre/delivery";
import type { Operation } from "../http/operation.ts";
import {
  envelope,
  idParameter,
  instant,
  integer,
  json,
  object,
  operation,
  orNull,
  string,
  uuid,
} from "./schemas.ts";

/** Path of the destinations. Source: interface specification, section 4.3. */
export const destinationsRoot = "/v1/file-export-destinations";

const place = { bucket: string, region: string, prefix: string, roleArn: string } as const;

const members = {
  id: uuid,
  status: { type: "string", enum: Object.keys(destinationTransitions) },
  ...place,
  kmsKeyArn: orNull(string),
  failure: orNull(object({ code: { type: "string", enum: destinationFailures } })),
  last_verified_at: orNull(instant),
  created_at: instant,
} as const;

const destination = object(members);
const issued = object({ ...members, externalId: string });

const parameters = [idParameter("destination")];

/** OpenAPI operations of destinations, by endpoint. The summaries say which are not in the specification. */
export const destinationOperations = {
  reserve: operation(
    "post",
    destinationsRoot,
    "Reserve a prefix of a bucket to have deliveries pushed to. The external id is in this answer alone",
    envelope(issued),
    { status: 201, takes: json(object({ ...place, kmsKeyArn: orNull(string) }, ["kmsKeyArn"])) },
  ),
  destinations: operation(
    "get",
    destinationsRoot,
    "Destinations, the oldest first",
    envelope({ type: "array", items: destination }, { count: integer }),
  ),
  destination: operation(
    "get",
    `${destinationsRoot}/{id}`,
    "What a destination is by now (beyond the specification)",
    envelope(destination),
    { parameters },
  ),
  verifyDestination: operation(
    "post",
    `${destinationsRoot}/{id}/verify`,
    "Have a destination verified soon; its status tells what came of it (beyond the specification)",
    envelope(destination),
    { status: 202, parameters },
  ),
  rotateDestination: operation(
    "post",
    `${destinationsRoot}/{id}/rotate`,
    "A new external id in place of the one before, which is void. It is in this answer alone (beyond the specification)",
    envelope(issued),
    { parameters },
  ),
  disableDestination: operation(
    "delete",
    `${destinationsRoot}/{id}`,
    "Give a destination up for good (beyond the specification)",
    envelope(destination),
    { parameters },
  ),
} as const satisfies Record<string, Operation>;

export type DestinationEndpoint = keyof typeof destinationOperations;
