import type { EntityModel, EntitySet, StructuralProperty } from "@cadastre/odata";
import { entityModelOf, readCsdl } from "@cadastre/odata/csdl";
import { isRecord } from "../api/json.ts";
import { metadataPath, serviceDocumentPath } from "../api/odata.ts";
import { requestJson, sendRequest } from "../api/request.ts";

/** Model of the service as one key sees it: the active entity sets, and their fields. */
export type ServiceModel = {
  readonly model: EntityModel;
  /** Entity sets that the service document lists. */
  readonly entitySets: readonly EntitySet[];
};

const models = new Map<string, Promise<ServiceModel>>();

async function request(apiKey: string): Promise<ServiceModel> {
  const [document, metadata] = await Promise.all([
    requestJson({ path: serviceDocumentPath, apiKey }),
    sendRequest({ path: metadataPath, apiKey }).then((response) => response.text()),
  ]);
  const model = entityModelOf(readCsdl(metadata));
  const listed = isRecord(document) && Array.isArray(document["value"]) ? document["value"] : [];
  const names = new Set(listed.filter(isRecord).map(({ name }) => name));
  return { model, entitySets: model.entitySets.filter(({ name }) => names.has(name)) };
}

/** Returns the model of a key, asked once. */
export function modelOf(apiKey: string): Promise<ServiceModel> {
  const known = models.get(apiKey) ?? request(apiKey);
  models.set(apiKey, known);
  known.catch(() => models.delete(apiKey));
  return known;
}

/** Returns an entity set as a key sees it. Undefined: it does not see it. */
export async function seenEntitySet(apiKey: string, name: string): Promise<EntitySet | undefined> {
  return (await modelOf(apiKey)).entitySets.find((set) => set.name === name);
}

/** Returns the name that people read, such as `Bedrooms Total`: of the Data Dictionary, or made of the field's name. */
export function titleOf({ name, annotations }: StructuralProperty): string {
  const standard = annotations?.find(({ term }) => term.endsWith(".StandardName"))?.value;
  if (typeof standard === "string") return standard.replace(/ Yes\/No$/, "?");
  return name
    .replace(/^[A-Z]{2,4}_/, "")
    .replace(/YN$/, "?")
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ");
}

/** Returns the name of the lookup whose values a field has. Undefined for any other field. */
export function lookupNameOf({ annotations }: StructuralProperty): string | undefined {
  const name = annotations?.find(({ term }) => term.endsWith(".LookupName"))?.value;
  return typeof name === "string" ? name : undefined;
}

const numeric = /^Edm\.(Byte|SByte|Int16|Int32|Int64|Decimal|Single|Double)$/;

export const isNumberField = (property: StructuralProperty): boolean =>
  !property.collection && numeric.test(property.type);
