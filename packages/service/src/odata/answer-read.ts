import type { Answer } from "../http/answer.ts";
import { parseAddress } from "./address.ts";
import { collection } from "./collection.ts";
import { entity } from "./entity.ts";
import { metadata } from "./metadata.ts";
import type { OdataRequest } from "./odata-request.ts";
import { findEntitySet, serviceDocument } from "./service-document.ts";
import type { OdataServices } from "./services.ts";

/**
 * Answer a read of `path`, percent-encoded and with the OData root. What is wrong with the request is thrown.
 *
 * @throws {QueryError}
 * @throws {Refused}
 */
export async function answerRead(
  path: string,
  request: OdataRequest,
  services: OdataServices,
): Promise<Answer> {
  const address = request.stages.time("parse", () => parseAddress(path));
  switch (address.kind) {
    case "ServiceDocument":
      return serviceDocument(request, services);
    case "Metadata":
      return metadata(request, services);
    case "Collection":
      return collection(request, findEntitySet(address.entitySet, request, services), services);
    case "Entity":
      return entity(request, findEntitySet(address.entitySet, request, services), address.key, services);
  }
}
