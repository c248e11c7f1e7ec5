import { createHash } from "node:crypto";
import { type Catalog, recordNames } from "@cadastre/reso";
import { perCatalog } from "../catalog.ts";

/**
 * Identifies the catalog's part in who sees which lookup values: the fields, their lookups and the systems that they are of. A value is shown
 * with the fields that have its lookup, so a new field can show values that no commit has changed.
 */
export const lookupBasis = perCatalog((catalog: Catalog): string => {
  const fields = recordNames.flatMap((resource) =>
    catalog
      .fieldsOf(resource)
      .flatMap(({ name, lookup, source }) =>
        lookup === undefined ? [] : [[resource, name, lookup, source] as const],
      ),
  );
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
});
