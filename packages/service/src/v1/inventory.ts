import type { DatasetGrant } from "@cadastre/entitlement";
import { type Catalog, keyFieldOf, ownResourceNames, type RecordName, resourceNames } from "@cadastre/reso";
import { z } from "zod";
import { string, uuid } from "../endpoint/members.ts";
import { odataRoot } from "../http/odata-protocol.ts";

/** Path of the exports. Source: interface specification, section 4.3. */
export const fileExportsPath = "/v1/file-exports";

/** Members of a dataset in answers. */
export const datasetIdentity = { dataset_id: uuid, originating_system_name: string } as const;

/** The licensed resources of a dataset in answers. */
export const resourcesMember = z.array(z.object({ name: string, key: string, collection: string }));

/**
 * A resource of a dataset, also if its entity set is not active. `collection` is the path of its entity set; of a resource that is only
 * delivered in files, the path of the exports. Source: interface specification, section 2.6.
 */
type InventoryItem = { readonly name: string; readonly key: string; readonly collection: string };

/** A dataset of an entitlement, with its licensed resources. */
export type LicensedDataset = {
  readonly dataset_id: string;
  readonly originating_system_name: string;
  readonly resources: readonly InventoryItem[];
};

/** Returns the datasets of an entitlement with the resources that it licenses. Unknown datasets are left out. */
export const datasetsOf = (
  { systems }: Catalog,
  granted: readonly DatasetGrant[],
): readonly LicensedDataset[] =>
  granted.flatMap(({ dataset_id, resources }) => {
    const system = systems.find(({ datasetId }) => datasetId === dataset_id);
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
  key: keyFieldOf(name),
  collection,
});

const inventory: readonly InventoryItem[] = [
  ...resourceNames.map((name) => itemOf(name, `${odataRoot}/${name}`)),
  ...ownResourceNames.map((name) => itemOf(name, fileExportsPath)),
];
