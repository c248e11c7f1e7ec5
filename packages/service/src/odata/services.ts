import { type Scope, visibleEntitySet } from "@cadastre/entitlement";
import type { EntityModel, EntitySet, SystemOptionName } from "@cadastre/odata";
import type { SkipTokenKey } from "@cadastre/odata/paging";
import { dictionaryCatalog } from "@cadastre/reso";
import type { AnswerSession, AnswerSettings, OwnOption } from "@cadastre/server/parts";
import { defaultOrder, maxSkip, maxTop } from "../catalog.ts";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { listingSource, type SourceCaller, type SourceServices } from "./listing-source.ts";
import { requirePlacekey } from "./placekey.ts";

/** Dependencies of the OData routes. */
export type OdataServices = SourceServices & {
  readonly config: Pick<Config, "pageSize" | "topIsTotal" | "tokenLife" | "baseUrl">;
  readonly skipTokenKey: SkipTokenKey;
  /** Returns this number of random bytes, for the nonces of tokens, which must never repeat. */
  readonly random: (bytes: number) => Uint8Array;
  /** Entity sets whose current build has passed its gates, with all fields, including those hidden from a caller. */
  readonly activeEntitySets: readonly EntitySet[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** Options of the interface beside those of OData, and the system options that it does not have. Source: interface specification, section 4.1. */
export const optionRules = {
  switchedOff: new Set<SystemOptionName>(["$apply", "$compute", "$expand", "$search"]),
  ownOptions: new Map<string, OwnOption>([["placekey", { check: requirePlacekey }]]),
} as const;

/** Returns the settings of all sessions. */
export const answerSettings = (services: OdataServices): AnswerSettings => ({
  ...optionRules,
  pageSize: services.config.pageSize,
  pageSizeWithTop: services.config.topIsTotal ? services.config.pageSize : maxTop,
  topIsTotal: services.config.topIsTotal,
  maxTop,
  maxSkip,
  skipTokenKey: services.skipTokenKey,
  tokenLife: services.config.tokenLife,
  random: (bytes) => services.random(bytes),
  now: () => services.now(),
});

const models = new WeakMap<readonly EntitySet[], WeakMap<Scope, EntityModel>>();

/** Returns the active sets with the fields that the caller may see: the same object for the same caller. */
function visibleModel(active: readonly EntitySet[], scope: Scope): EntityModel {
  const ofActive = models.get(active) ?? new WeakMap<Scope, EntityModel>();
  models.set(active, ofActive);
  const known = ofActive.get(scope);
  if (known !== undefined) return known;
  const entitySets = active
    .filter(({ name }) => scope.visible(name))
    .map((entitySet) => visibleEntitySet(entitySet, scope));
  const model = { ...dictionaryCatalog.model, entitySets };
  ofActive.set(scope, model);
  return model;
}

const defaults = { orderBy: defaultOrder, searchable: [] } as const;
const queryDefaults: AnswerSession["queryDefaults"] = () => defaults;

/** Creates the session of a request. */
export const sessionOf = (
  services: OdataServices,
  settings: AnswerSettings,
  { scope, stages }: SourceCaller,
): AnswerSession => ({
  model: visibleModel(services.activeEntitySets, scope),
  source: listingSource(services, { scope, stages }),
  settings,
  queryDefaults,
  customer: scope.customer,
  scope: scope.scopeSha256,
  scopeChanged: () => new Refused("entitlement_changed", { target: "$skiptoken" }),
});
