import type { Annotation, EntityModel } from "../model/types.ts";

const documents = "https://oasis-tcs.github.io/odata-vocabularies/vocabularies";

/** A vocabulary of annotations, with the URLs of its document in XML and in JSON. */
export type Vocabulary = { readonly namespace: string; readonly xml: string; readonly json: string };

/** Source: OData Vocabularies 4.0; OData Extension for Data Aggregation 4.0, section 5. */
const vocabularies: readonly Vocabulary[] = [
  "Org.OData.Measures.V1",
  "Org.OData.Core.V1",
  "Org.OData.Capabilities.V1",
  "Org.OData.Aggregation.V1",
].map((namespace) => ({
  namespace,
  xml: `${documents}/${namespace}.xml`,
  json: `${documents}/${namespace}.json`,
}));

/** Returns the vocabularies that the model's annotations use. A `$metadata` document must reference each of them. */
export const vocabulariesOf = (model: EntityModel): readonly Vocabulary[] =>
  vocabularies.filter(({ namespace }) => usesVocabulary(model, namespace));

function usesVocabulary({ entitySets }: EntityModel, namespace: string): boolean {
  const within = (annotations: readonly Annotation[] = []) =>
    annotations.some(({ term }) => term.startsWith(`${namespace}.`));
  return entitySets.some(
    (set) =>
      within(set.annotations) ||
      within(set.type.annotations) ||
      [...set.type.properties.values()].some((property) => within(property.annotations)),
  );
}
