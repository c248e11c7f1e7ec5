import { hiddenProperties, resourceRules, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import type { BoundNode, EntitySet } from "@cadastre/odata";
import { allOf } from "@cadastre/odata/tree";
import { lookupKey } from "@cadastre/reso";
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
    const { entitySet, candidate } = trial;
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
      all += await count(systemScope());
      hidden += await count(systemScope(), [isPrivate]);
      shown += await count(publicScope());
      leaked += await count(publicScope(), [isPrivate]);
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
  check: ({ entitySet }) => {
    const contact = resourceRules[entitySet.name]?.contact ?? [];
    const shown = visibleEntitySet(entitySet, publicScope()).type.properties;
    const granted = visibleEntitySet(entitySet, systemScope()).type.properties;
    const leaked = contact.filter((name) => shown.has(name));
    const missing = contact.filter((name) => !granted.has(name));
    return {
      passed: contact.length > 0 && leaked.length === 0 && missing.length === 0,
      evidence: { fields: contact.length, leaked, missing },
    };
  },
};

/** Maximum number of collisions in the evidence. */
const shownCollisions = 10;

export const lookupIdentity: Gate = {
  name: "lookup_identity",
  holds:
    "a key is made of dataset, lookup and the value's legacy form, and no dataset has a value twice, shared ones included",
  of: ["Lookup"],
  check: async ({ candidate, passedBefore }) => {
    // Values of one lookup cannot collide with those of another.
    const checked = passedBefore.has("lookup_identity") ? candidate.related(["LookupName"]) : candidate.all();
    const found = { rows: 0, collisions: 0, strangers: 0 };
    const owners = new Map<string, Set<string | null>>();
    const examples: string[] = [];
    for await (const record of checked) {
      const { key, name, value, legacy } = lookupOf(record);
      found.rows++;
      if (key !== lookupKey(record.datasetId, name, legacy)) found.strangers++;
      for (const identity of [JSON.stringify([name, value]), JSON.stringify([name, null, legacy])]) {
        const known = owners.get(identity) ?? new Set();
        const collides =
          known.has(record.datasetId) || known.has(null) || (record.datasetId === null && known.size > 0);
        owners.set(identity, known.add(record.datasetId));
        if (!collides) continue;
        found.collisions++;
        if (examples.length < shownCollisions) examples.push(key);
      }
    }
    return { passed: found.collisions + found.strangers === 0, evidence: { ...found, examples } };
  },
};

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
