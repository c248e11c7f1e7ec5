import { type Answer, ok } from "../http/answer.ts";
import { tagged } from "../http/entity-tag.ts";
import type { Endpoint, EndpointCall } from "./endpoint.ts";

type Reply = EndpointCall<unknown, unknown, unknown, object, object>["reply"];

/** Returns the function that makes the answers `{data, meta}` of an endpoint. `meta` has the version of the caller's entitlement. */
export const replyOf =
  (
    { audit, status: usual }: Pick<Endpoint<never>, "audit" | "status">,
    { scope }: EndpointCall["caller"],
  ): Reply =>
  (data, { meta, status = usual, headers = {} } = {}) => {
    const body = JSON.stringify({ data, meta: { entitlement_version: scope.version, ...meta } });
    const answer: Answer = { ...ok("application/json", body), status, headers };
    return audit === undefined
      ? tagged(answer)
      : { ...answer, headers: { "cache-control": "no-store", ...headers } };
  };
