import type { EntitySet } from "@cadastre/odata";
import { resourceNames } from "@cadastre/reso";

/** True for a set of records of the store; false for one that describes the service or its changes, such as Field. */
export const isStoredSet = ({ name }: Pick<EntitySet, "name">): boolean =>
  resourceNames.some((one) => one === name);
