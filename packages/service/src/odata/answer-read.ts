import type { Answer } from "../http/answer.ts";
import { underPreconditions } from "../http/answer.ts";
import { parseAddress, type ResourcePath } from "./address.ts";
import { collection } from "./collection.ts";
import { count } from "./count.ts";
import { entity } from "./entity.ts";
import { metadata } from "./metadata.ts";
import type { OdataRequest } from "./odata-request.ts";
import { individualProperty, itemCount, rawValue } from "./property.ts";
import { findEntitySet, serviceDocument } from "./service-document.ts";
import type { OdataServices } from "./services.ts";

/**
 * Answers a read of `path`, which is percent-encoded and starts with the OData root.
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
  request.onAddress(address.kind);
  return underPreconditions(await answerAt(address, request, services), request);
}

async function answerAt(
  address: ResourcePath,
  request: OdataRequest,
  services: OdataServices,
): Promise<Answer> {
  if (address.kind === "ServiceDocument") return serviceDocument(request, services);
  if (address.kind === "Metadata") return metadata(request, services);
  const entitySet = findEntitySet(address.entitySet, request, services);
  switch (address.kind) {
    case "Collection":
      return collection(request, entitySet, services);
    case "Count":
      return count(request, entitySet, services);
    case "Entity":
      return entity(request, entitySet, address.key, services);
    case "Property":
      return individualProperty(request, entitySet, address, services);
    case "ItemCount":
      return itemCount(request, entitySet, address, services);
    case "Value":
      return rawValue(request, entitySet, address, services);
  }
}
