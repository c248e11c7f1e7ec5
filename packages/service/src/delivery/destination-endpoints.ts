import {
  DeliveryError,
  type Destination,
  type Destinations,
  type IssuedDestination,
  requirePush,
} from "@cadastre/delivery";
import type { Answer } from "../http/answer.ts";
import { enveloped } from "../v1/envelope.ts";
import { readDestinationRequest } from "./bodies.ts";
import type { DeliveryRequest } from "./delivery-request.ts";
import { type DestinationEndpoint, destinationsRoot } from "./destination-operations.ts";
import { dataResponse, noStoreResponse } from "./responses.ts";
import type { DeliveryServices } from "./services.ts";

type Endpoint = (request: DeliveryRequest, services: DeliveryServices) => Promise<Answer>;

/**
 * Returns the destinations after checking that the caller may push to them.
 *
 * @throws {DeliveryError} `capability_required`, `push_unavailable`
 */
function pushedTo(
  { caller }: DeliveryRequest,
  { destinations, isPushing }: Pick<DeliveryServices, "destinations" | "isPushing">,
): Destinations {
  requirePush(caller.scope);
  if (!isPushing) throw new DeliveryError("push_unavailable");
  return destinations;
}

/** Handlers of the endpoints of destinations. */
export const destinationEndpoints: Readonly<Record<DestinationEndpoint, Endpoint>> = {
  reserve: async (request, services) => {
    const asked = readDestinationRequest(await request.body());
    const issued = await pushedTo(request, services).reserve(request.caller.scope.customer, asked);
    const location = `${destinationsRoot}/${issued.destination.id}`;
    return noStoreResponse(dataResponse(issuedView(issued), request), 201, { location });
  },

  destinations: async ({ caller: { scope } }, { destinations }) => {
    const found = await destinations.list(scope.customer);
    return enveloped(found.map(destinationView), scope, { count: found.length });
  },

  destination: async (request, { destinations }) =>
    dataResponse(
      destinationView(await destinations.find(request.caller.scope.customer, request.id)),
      request,
    ),

  verifyDestination: async (request, services) => {
    const { caller, id } = request;
    const verifying = await pushedTo(request, services).requestVerification(caller.scope.customer, id);
    return noStoreResponse(dataResponse(destinationView(verifying), request), 202);
  },

  rotateDestination: async (request, services) => {
    const { caller, id } = request;
    const issued = await pushedTo(request, services).rotate(caller.scope.customer, id);
    return noStoreResponse(dataResponse(issuedView(issued), request), 200);
  },

  disableDestination: async (request, { destinations }) => {
    const { caller, id } = request;
    return noStoreResponse(
      dataResponse(destinationView(await destinations.disable(caller.scope.customer, id)), request),
      200,
    );
  },
};

const instant = (at: number): string => new Date(at).toISOString();

/** Returns the JSON of a destination: the members of the request in its spelling, then its state. */
const destinationView = (destination: Destination) => ({
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
const issuedView = ({ destination, externalId }: IssuedDestination) => ({
  ...destinationView(destination),
  externalId,
});
