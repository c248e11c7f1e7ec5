import { type Scope, visibleEntitySet } from "@cadastre/entitlement";
import type { EntityModel } from "@cadastre/odata";
import { writeCsdlXml } from "@cadastre/odata/csdl";
import { entityModel } from "@cadastre/reso";
import { type Answer, found } from "../http/answer.ts";
import type { OdataRequest } from "./odata-request.ts";
import type { OdataVersion } from "./protocol.ts";
import { parseMetadata } from "./query-options.ts";
import type { OdataServices } from "./services.ts";

/** The document as each scope sees it, in each version that was asked for. */
const documents = new WeakMap<Scope, Map<OdataVersion, string>>();

/** `GET /reso/odata/$metadata`: the active sets, and of their fields those that the caller may see. */
export function metadata(request: OdataRequest, services: OdataServices): Answer {
  const { scope, stages, version } = request;
  stages.time("parse", () => parseMetadata(request));
  const written = documents.get(scope) ?? new Map<OdataVersion, string>();
  documents.set(scope, written);
  const known = written.get(version);
  const body =
    known ??
    stages.time("render", () => writeCsdlXml(visibleModel(scope, services.activeEntitySets), version));
  written.set(version, body);
  return found("application/xml", body);
}

const visibleModel = (scope: Scope, active: OdataServices["activeEntitySets"]): EntityModel => ({
  ...entityModel,
  entitySets: active
    .filter(({ name }) => scope.visible(name))
    .map((entitySet) => visibleEntitySet(entitySet, scope)),
});
