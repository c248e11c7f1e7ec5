import type { EntitySet, StructuralProperty } from "@cadastre/odata";
import { computed } from "@preact/signals";
import { address } from "../address/current-address.ts";
import { firstColumns } from "../model/first-columns.ts";
import { modelOf } from "../model/service-model.ts";
import { firstKey, secondKey } from "../session/api-keys.ts";
import { loaded } from "./loaded.ts";

/** Model of the first key. */
export const firstModel = loaded(() => {
  const key = firstKey.value;
  return key && modelOf(key.apiKey);
});

/** Model of the second key, while two are compared. */
export const secondModel = loaded(() => {
  const key = secondKey.value;
  return key && modelOf(key.apiKey);
});

/** The entity set of the page, as the first key sees it. */
export const shownSet = computed<EntitySet | undefined>(() =>
  firstModel.value.value?.entitySets.find(({ name }) => name === address.value.entitySet),
);

/** The same set as the second key sees it. */
export const secondSet = computed<EntitySet | undefined>(() =>
  secondModel.value.value?.entitySets.find(({ name }) => name === address.value.entitySet),
);

/** Columns of the table: those of the address that the key sees, else those that a table begins with. */
export const shownColumns = computed<readonly StructuralProperty[]>(() => {
  const set = shownSet.value;
  if (set === undefined) return [];
  const fieldsOf = (names: readonly string[]) => names.flatMap((name) => set.type.properties.get(name) ?? []);
  const chosen = fieldsOf(address.value.select);
  return chosen.length > 0 ? chosen : fieldsOf(firstColumns(set.name, set.type));
});

/** Name of the property that identifies a record. */
export const shownKeyName = computed(() => shownSet.value?.type.key[0] ?? "");
