import { type RestrictedQuery, resourceRules } from "@cadastre/entitlement";
import type { Bookmark, Candidate } from "@cadastre/store";
import { emptyScope, publicScope, systemScope } from "../identity/system-scope.ts";
import { hasKeyOf, keyProperty, keysQuery } from "../ingest/candidate-query.ts";
import { keysOf, recordsToCheck } from "./changed.ts";
import type { Gate } from "./gate.ts";

export const hasRecords: Gate = {
  name: "published_build",
  holds: "there is a build, and it has records",
  check: ({ candidate: { records, sha256, checkpoint } }) => ({
    passed: records > 0,
    evidence: { records, sha256, checkpoint },
  }),
};

export const uniqueKeys: Gate = {
  name: "key_uniqueness",
  holds: "a walk meets every record once, each under a key of its own",
  check: async (trial) => {
    const { catalog, entitySet, candidate } = trial;
    const { name } = keyProperty(entitySet);
    let [met, repeated, expected] = [0, 0, 0];
    const changed = new Set<string>();
    for await (const { filter, keys } of recordsToCheck("key_uniqueness", trial)) {
      for (const key of keys) if (changed.size === changed.add(key).size) repeated++;
      const query = keysQuery(entitySet, systemScope(catalog), filter);
      let last: unknown;
      for await (const page of pagesOf(candidate, query)) {
        for (const record of page) {
          const key = record[name];
          met++;
          // Equal keys are adjacent, because the records are in key order.
          if (key === last || key === undefined) repeated++;
          last = key;
        }
      }
      expected += await candidate.count(query);
    }
    return { passed: repeated === 0 && met === expected, evidence: { met, repeated, expected } };
  },
};

export const nothingWithoutGrant: Gate = {
  name: "entitlement_policy",
  holds: "a rule restricts the rows, and without a grant there is none",
  check: async ({ catalog, entitySet, candidate }) => {
    const rule = resourceRules[entitySet.name];
    const granted = await candidate.page(keysQuery(entitySet, systemScope(catalog), undefined, 1));
    granted.release?.();
    const grantable = granted.length > 0;
    const withoutGrant = await candidate.count(keysQuery(entitySet, emptyScope(catalog)));
    return {
      passed: rule !== undefined && withoutGrant === 0 && grantable,
      evidence: { rule: rule?.by ?? null, records: candidate.records, grantable, withoutGrant },
    };
  },
};

export const sameAsRehearsal: Gate = {
  name: "replay",
  holds: "the build is the one that was computed from what is staged beforehand",
  check: ({ candidate: { records, sha256, rehearsal } }) => ({
    passed: rehearsal?.sha256 === sha256 && rehearsal.records === records,
    evidence: { sha256, again: rehearsal?.sha256 ?? null },
  }),
};

export const removedIsGone: Gate = {
  name: "deletion",
  holds: "a record that is removed is gone from every view",
  check: async ({ catalog, entitySet, candidate }) => {
    let [removed, seen] = [0, 0];
    for await (const keys of keysOf(entitySet, candidate.removed())) {
      removed += keys.length;
      const filter = hasKeyOf(entitySet, keys);
      for (const scope of [systemScope(catalog), publicScope(catalog)])
        seen += await candidate.count(keysQuery(entitySet, scope, filter));
    }
    return { passed: seen === 0, evidence: { removed, seen } };
  },
};

/** Iterates over all pages. */
async function* pagesOf(candidate: Candidate, query: RestrictedQuery): AsyncGenerator<readonly Json[]> {
  for (let from: Bookmark | undefined, isFirst = true; isFirst || from !== undefined; isFirst = false) {
    const { records, release, next } = await candidate.page(query, { from });
    const text = Buffer.from(records).toString();
    release?.();
    yield JSON.parse(`[${text}]`) as readonly Json[];
    from = next ?? undefined;
  }
}

type Json = Readonly<Record<string, unknown>>;
