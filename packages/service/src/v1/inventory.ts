import type { DatasetGrant } from "@cadastre/entitlement";
import {
  originatingSystems,
  ownResourceNames,
  type RecordName,
  resource,
  resourceNames,
} from "@cadastre/reso";
import { odataRoot } from "../odata/protocol.ts";
import { fileExportsPath } from "./operations.ts";

/**
 * A resource of a dataset, whether or not its entity set is active. One that is no entity set has exports for its
 * collection. Source: interface specification, section 2.6.
 */
type InventoryItem = { readonly name: string; readonly key: string; readonly collection: string };

/** A dataset as an entitlement names it, and what is there of it. */
export type Dataset = {
  readonly dataset_id: string;
  readonly originating_system_name: string;
  readonly resources: readonly InventoryItem[];
};

/** The datasets of an entitlement, with the resources that it licenses. */
export const datasetsOf = (granted: readonly DatasetGrant[]): readonly Dataset[] =>
  granted.flatMap(({ dataset_id, resources }) => {
    const system = originatingSystems.find(({ datasetId }) => datasetId === dataset_id);
    return system === undefined
      ? []
      : [
          {
            dataset_id,
            originating_system_name: system.name,
            resources: inventory.filter(({ name }) => resources[name] !== undefined),
          },
        ];
  });

const itemOf = (name: RecordName, collection: string): InventoryItem => ({
  name,
  key: resource(name).key,
  collection,
});

const inventory: readonly InventoryItem[] = [
  ...resourceNames.map((name) => itemOf(name, `${odataRoot}/${name}`)),
  ...ownResourceNames.map((name) => itemOf(name, fileExportsPath)),
];
