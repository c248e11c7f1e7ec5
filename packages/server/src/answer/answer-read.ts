import type { OdataRequest } from "../protocol/odata-request.ts";
import { parseAddress, type ResourcePath } from "../protocol/resource-address.ts";
import { type Answer, underPreconditions } from "./answer.ts";
import type { AnswerSession } from "./answer-session.ts";
import { answerCollection } from "./collection.ts";
import { count } from "./count.ts";
import { entity } from "./entity.ts";
import { metadata } from "./metadata.ts";
import { individualProperty, itemCount, rawValue } from "./property.ts";
import { answerRelated, countRelated, navigationOf } from "./related.ts";
import { findEntitySet, serviceDocument } from "./service-document.ts";

/**
 * Answers a read of `path`, which is percent-encoded and below the service root: empty, or with a slash at its start.
 *
 * @throws {QueryError}
 * @throws {ProtocolError}
 */
export async function answerRead(
  path: string,
  request: OdataRequest,
  session: AnswerSession,
): Promise<Answer> {
  const address = request.stages.time("parse", () => parseAddress(path));
  request.onAddress(address.kind);
  return underPreconditions(await answerAt(address, request, session), request);
}

async function answerAt(
  address: ResourcePath,
  request: OdataRequest,
  session: AnswerSession,
): Promise<Answer> {
  if (address.kind === "ServiceDocument") return serviceDocument(request, session);
  if (address.kind === "Metadata") return metadata(request, session);
  const entitySet = findEntitySet(address.entitySet, session);
  switch (address.kind) {
    case "Collection":
      return answerCollection(request, entitySet, session);
    case "Count":
      return count(request, entitySet, session);
    case "Entity":
      return entity(request, entitySet, address.key, session);
    case "Property": {
      const navigation = navigationOf(address, entitySet);
      return navigation === undefined
        ? individualProperty(request, entitySet, address, session)
        : answerRelated({ request, entitySet, address, navigation, session });
    }
    case "ItemCount": {
      const navigation = navigationOf(address, entitySet);
      return navigation === undefined
        ? itemCount(request, entitySet, address, session)
        : countRelated({ request, entitySet, address, navigation, session });
    }
    case "Value":
      return rawValue(request, entitySet, address, session);
  }
}
