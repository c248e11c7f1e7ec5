import { hiddenProperties, resourceRules, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import type { BoundNode, EntitySet } from "@cadastre/odata";
import { allOf } from "@cadastre/odata/tree";
import type { CandidateRecord } from "@cadastre/store";
import { publicScope, systemScope } from "../identity/system-scope.ts";
import { boundFilter, keysQuery } from "../ingest/candidate-query.ts";
import { recordsToCheck } from "./changed.ts";
import type { Gate } from "./gate.ts";

export const privateMedia: Gate = {
  name: "private_media",
  holds: "media that is not for the public is hidden from who is not granted it",
  of: ["Media", "MediaAsset"],
  check: async (trial) => {
    const { catalog, entitySet, candidate } = trial;
    const privacy = resourceRules[entitySet.name]?.privacy;
    if (privacy === undefined) return { passed: false, evidence: { policy: null } };
    const open = privacy.open.map((value) => `'${value}'`).join();
    const isPrivate = boundFilter(`${privacy.property}/any(p:not (p in (${open})))`, withHidden(entitySet));
    let [all, hidden, shown, leaked] = [0, 0, 0, 0];
    for await (const { filter } of recordsToCheck("private_media", trial)) {
      const count = (scope: Scope, more: readonly BoundNode[] = []) =>
        candidate.count(
          keysQuery(entitySet, scope, allOf(...(filter === undefined ? [] : [filter]), ...more)),
        );
      all += await count(systemScope(catalog));
      hidden += await count(systemScope(catalog), [isPrivate]);
      shown += await count(publicScope(catalog));
      leaked += await count(publicScope(catalog), [isPrivate]);
    }
    return {
      passed: leaked === 0 && shown === all - hidden,
      evidence: { property: privacy.property, records: all, private: hidden, shown, leaked },
    };
  },
};

/** Adds the hidden properties to the set. Callers cannot use them, but a policy may. */
const withHidden = ({ type, ...entitySet }: EntitySet): EntitySet => ({
  ...entitySet,
  type: { ...type, properties: new Map([...hiddenProperties, ...type.properties]) },
});

export const contactFields: Gate = {
  name: "contact_fields",
  holds: "contact fields are hidden from who is granted every other field",
  of: ["Member", "Office"],
  check: ({ catalog, entitySet }) => {
    const contact = resourceRules[entitySet.name]?.contact ?? [];
    const shown = visibleEntitySet(entitySet, publicScope(catalog)).type.properties;
    const granted = visibleEntitySet(entitySet, systemScope(catalog)).type.properties;
    const leaked = contact.filter((name) => shown.has(name));
    const missing = contact.filter((name) => !granted.has(name));
    return {
      passed: contact.length > 0 && leaked.length === 0 && missing.length === 0,
      evidence: { fields: contact.length, leaked, missing },
    };
  },
};

/** Maximum number of keys in the evidence. */
const shownKeys = 10;

export const lookupIdentity: Gate = {
  name: "lookup_identity",
  holds:
    "a key is made of dataset, lookup and the value's legacy form, and no dataset has a value twice, shared ones included",
  of: ["Lookup"],
  check: async ({ catalog, candidate, passedBefore }) => {
    // Values of one lookup cannot collide with those of another.
    const checked = passedBefore.has("lookup_identity") ? candidate.related(["LookupName"]) : candidate.all();
    const found = { rows: 0, collisions: 0, strangers: 0 };
    const owners = new Map<string, { readonly key: string; readonly datasets: Set<string | null> }>();
    const colliding = new Set<string>();
    for await (const record of checked) {
      const { key, name, value, legacy } = lookupOf(record);
      found.rows++;
      if (key !== catalog.lookups.key(record.datasetId, name, legacy)) found.strangers++;
      for (const identity of [JSON.stringify([name, value]), JSON.stringify([name, null, legacy])]) {
        const owner = owners.get(identity) ?? { key, datasets: new Set() };
        const { datasets } = owner;
        const collides =
          datasets.has(record.datasetId) ||
          datasets.has(null) ||
          (record.datasetId === null && datasets.size > 0);
        datasets.add(record.datasetId);
        owners.set(identity, owner);
        if (!collides) continue;
        found.collisions++;
        keepFirst(colliding, owner.key, key);
      }
    }
    return {
      passed: found.collisions + found.strangers === 0,
      evidence: { ...found, examples: [...colliding].toSorted(inOrder) },
    };
  },
};

const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);

/** Adds keys, and keeps the first ones of all in order: databases return records in different orders. */
function keepFirst(keys: Set<string>, ...added: readonly string[]): void {
  for (const key of added) keys.add(key);
  for (const key of [...keys].toSorted(inOrder).slice(shownKeys)) keys.delete(key);
}

function lookupOf({ text }: CandidateRecord) {
  const { LookupKey, LookupName, LookupValue, LegacyODataValue } = JSON.parse(text) as Readonly<
    Record<string, unknown>
  >;
  return {
    key: String(LookupKey),
    name: String(LookupName),
    value: String(LookupValue),
    legacy: String(LegacyODataValue),
  };
}
