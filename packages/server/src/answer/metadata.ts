import type { EntityModel } from "@cadastre/odata";
import { writeCsdlJson, writeCsdlXml } from "@cadastre/odata/csdl";
import { xmlType } from "../protocol/format.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { parseMetadata } from "../protocol/query-options.ts";
import type { OdataVersion } from "../protocol/version.ts";
import { type Answer, ok, tagged } from "./answer.ts";
import type { AnswerSession } from "./answer-session.ts";

/** Cached answers by model, format and version. */
const answers = new WeakMap<EntityModel, Map<string, Answer>>();

/** `GET <root>/$metadata`: the sets and properties that the caller may see. */
export function metadata(request: OdataRequest, { model, settings }: AnswerSession): Answer {
  const { stages, version } = request;
  const form = stages.time("parse", () => parseMetadata(request, settings));
  const known = answers.get(model) ?? new Map<string, Answer>();
  answers.set(model, known);
  const name = `${form} ${version}`;
  const answer = known.get(name) ?? stages.time("render", () => write(model, form, version));
  known.set(name, answer);
  return answer;
}

/** Writes the CSDL. Its JSON form exists since 4.01, and does not depend on the version of the answer. */
const write = (model: EntityModel, form: "xml" | "json", version: OdataVersion): Answer =>
  tagged(
    form === "xml" ? ok(xmlType, writeCsdlXml(model, version)) : ok("application/json", writeCsdlJson(model)),
  );
