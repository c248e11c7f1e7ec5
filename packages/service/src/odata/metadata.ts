import { type Scope, visibleEntitySet } from "@cadastre/entitlement";
import type { EntityModel, EntitySet } from "@cadastre/odata";
import { writeCsdlJson, writeCsdlXml } from "@cadastre/odata/csdl";
import { dictionaryCatalog } from "@cadastre/reso";
import { type Answer, ok, tagged } from "../http/answer.ts";
import type { OdataVersion } from "../http/odata-protocol.ts";
import { xmlType } from "./format.ts";
import type { OdataRequest } from "./odata-request.ts";
import { parseMetadata } from "./query-options.ts";
import type { OdataServices } from "./services.ts";

/** Cached answers by active sets, scope, format and version. */
const answers = new WeakMap<readonly EntitySet[], WeakMap<Scope, Map<string, Answer>>>();

/** `GET /reso/odata/$metadata`: the active sets with the fields that the caller may see. */
export function metadata(request: OdataRequest, { activeEntitySets: active }: OdataServices): Answer {
  const { scope, stages, version } = request;
  const form = stages.time("parse", () => parseMetadata(request));
  const ofActive = answers.get(active) ?? new WeakMap<Scope, Map<string, Answer>>();
  answers.set(active, ofActive);
  const known = ofActive.get(scope) ?? new Map<string, Answer>();
  ofActive.set(scope, known);
  const name = `${form} ${version}`;
  const answer =
    known.get(name) ?? stages.time("render", () => write(visibleModel(scope, active), form, version));
  known.set(name, answer);
  return answer;
}

/** Writes the CSDL. Its JSON form exists since 4.01, and does not depend on the version of the answer. */
const write = (model: EntityModel, form: "xml" | "json", version: OdataVersion): Answer =>
  tagged(
    form === "xml" ? ok(xmlType, writeCsdlXml(model, version)) : ok("application/json", writeCsdlJson(model)),
  );

const visibleModel = (scope: Scope, active: readonly EntitySet[]): EntityModel => ({
  ...dictionaryCatalog.model,
  entitySets: active
    .filter(({ name }) => scope.visible(name))
    .map((entitySet) => visibleEntitySet(entitySet, scope)),
});
