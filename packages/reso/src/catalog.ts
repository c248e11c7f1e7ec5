import type { EntityModel, EntitySet } from "@cadastre/odata";
import { requireSound } from "./check-definition.ts";
import { type CatalogDefinition, emptyDefinition, type OriginatingSystem } from "./definition.ts";
import { createDictionary, type Dictionary } from "./dictionary.ts";
import { resourceNames } from "./dictionary-data.ts";
import { toEntitySet } from "./entity-model.ts";
import type { Field } from "./field.ts";
import { createLookups, type Lookups } from "./lookups.ts";
import type { RecordName } from "./own-resources.ts";
import { describeResources, type ResoResource } from "./resources.ts";

/** The systems that a service serves, and the fields and lookups of its resources. */
export type Catalog = {
  readonly definition: CatalogDefinition;
  readonly systems: readonly OriginatingSystem[];
  /** The standard fields and lookups, whether they are served or not. */
  readonly dictionary: Dictionary;
  /** Returns a resource with its served fields. @throws {RangeError} for an unknown name */
  readonly resource: (name: RecordName) => ResoResource;
  /**
   * Returns the entity set of a resource, which has the resource's name. Those of `ownResourceNames` are not part of the OData service.
   *
   * @throws {RangeError} for an unknown name
   */
  readonly entitySet: (name: RecordName) => EntitySet;
  /** Returns all selectable fields of a resource, derived and local ones included. */
  readonly fieldsOf: (name: RecordName) => readonly Field[];
  /** The entity sets of the OData service. No navigation property is declared. */
  readonly model: EntityModel;
  readonly lookups: Lookups;
};

/**
 * Creates a catalog. It never changes: another definition makes another catalog.
 *
 * @throws {CatalogError} with all faults of the definition
 */
export function createCatalog(definition: CatalogDefinition): Catalog {
  const dictionary = createDictionary(definition.dictionary);
  requireSound(definition, dictionary);
  const resources = describeResources(definition, dictionary);
  const entitySets = new Map([...resources].map(([name, resource]) => [name, toEntitySet(resource)]));

  function resource(name: RecordName): ResoResource {
    const found = resources.get(name);
    if (found === undefined) throw new RangeError(`unknown resource \`${name}\``);
    return found;
  }

  function entitySet(name: RecordName): EntitySet {
    const found = entitySets.get(name);
    if (found === undefined) throw new RangeError(`unknown entity set \`${name}\``);
    return found;
  }

  return {
    definition,
    systems: definition.systems,
    dictionary,
    resource,
    entitySet,
    fieldsOf: (name) => resource(name).fields,
    model: {
      namespace: "org.reso.metadata",
      container: "RESO",
      entitySets: resourceNames.map(entitySet),
    },
    lookups: createLookups(definition, resources, dictionary),
  };
}

/** The catalog without systems: the dictionary of this package alone. */
export const dictionaryCatalog: Catalog = createCatalog(emptyDefinition);
