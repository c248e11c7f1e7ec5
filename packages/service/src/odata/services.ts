import type { Scope } from "@cadastre/entitlement";
import type { EntityModel, EntitySet } from "@cadastre/odata";
import type { SkipTokenKey } from "@cadastre/odata/paging";
import { dictionaryCatalog } from "@cadastre/reso";
import type { AnswerSession, AnswerSettings, OwnOption } from "@cadastre/server/parts";
import { defaultOrder, maxSkip, maxTop, maxTopExpanded } from "../catalog.ts";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { entityEventName, entityEventSet } from "../events/entity-event-set.ts";
import type { EntityEvents } from "../events/entity-events.ts";
import { withEntityEvents } from "../events/event-source.ts";
import { type Extension, switchedOffBut } from "../extensions.ts";
import { perScope, visibleSets } from "../visible-sets.ts";
import { withCapabilities } from "./capabilities.ts";
import type { ChangeLimits } from "./change-source.ts";
import { fieldEntitySet, withFieldSet } from "./field-set.ts";
import { listingSource } from "./listing-source.ts";
import { requirePlacekey } from "./placekey.ts";
import { withNavigation } from "./related-sets.ts";
import { searchableOf } from "./searchable.ts";
import type { SourceCaller, SourceServices } from "./source-services.ts";

/** Dependencies of the OData routes. */
export type OdataServices = SourceServices & {
  readonly config: Pick<
    Config,
    | "pageSize"
    | "topIsTotal"
    | "tokenLife"
    | "deltaLife"
    | "querySeconds"
    | "baseUrl"
    | "extensions"
    | "minimumCellSize"
  >;
  readonly skipTokenKey: SkipTokenKey;
  /** Returns this number of random bytes, for the nonces of tokens, which must never repeat. */
  readonly random: (bytes: number) => Uint8Array;
  /** Entity sets whose current build has passed its gates, with all fields, including those hidden from a caller. */
  readonly activeEntitySets: readonly EntitySet[];
  /** Undefined: the set `EntityEvent` is not offered. */
  readonly events?: EntityEvents | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** Options of the interface beside those of OData, and the system options that are refused. Source: interface specification, section 4.1. */
export const optionRules = (extensions: readonly Extension[]) => ({
  switchedOff: switchedOffBut(extensions),
  ownOptions: new Map<string, OwnOption>([["placekey", { check: requirePlacekey }]]),
});

/** Returns the settings of all sessions. */
export const answerSettings = (services: OdataServices): AnswerSettings => ({
  ...optionRules(services.config.extensions),
  pageSize: services.config.pageSize,
  pageSizeWithTop: services.config.topIsTotal ? services.config.pageSize : maxTop,
  topIsTotal: services.config.topIsTotal,
  maxTop,
  maxTopExpanded,
  maxSkip,
  skipTokenKey: services.skipTokenKey,
  tokenLife: services.config.tokenLife,
  random: (bytes) => services.random(bytes),
  now: () => services.now(),
});

const modelOf = perScope<EntityModel>();

/** Returns the active sets with the fields that the caller may see: the same object for the same caller. */
const visibleModel = ({ activeEntitySets, config, events }: OdataServices, scope: Scope): EntityModel =>
  modelOf(activeEntitySets, scope, () => {
    const { extensions } = config;
    const visible = visibleSets(activeEntitySets, scope);
    const linked = extensions.includes("expand") ? withNavigation(visible) : visible;
    const withFields =
      extensions.includes("field") && linked.length > 0 ? [...linked, fieldEntitySet] : linked;
    const all = events === undefined ? withFields : [...withFields, entityEventSet];
    const entitySets = all.map((entitySet) => withCapabilities(entitySet, config));
    return { ...dictionaryCatalog.model, entitySets };
  });

/** Returns the limits of delta links; undefined if the service does not offer them. */
const changeLimitsOf = ({
  config: { extensions, deltaLife, querySeconds },
}: OdataServices): ChangeLimits | undefined =>
  extensions.includes("delta") ? { life: deltaLife, seconds: querySeconds } : undefined;

const queryDefaults: AnswerSession["queryDefaults"] = (entitySet) => ({
  orderBy: entitySet.name === entityEventName ? [] : defaultOrder,
  searchable: searchableOf(entitySet),
});

function sourceOf(
  services: OdataServices,
  caller: SourceCaller,
  model: EntityModel,
): AnswerSession["source"] {
  const listings = listingSource(services, caller, changeLimitsOf(services));
  const source = withFieldSet(listings, model, caller.scope);
  const { events, activeEntitySets } = services;
  return events === undefined ? source : withEntityEvents(source, events, caller.scope, activeEntitySets);
}

/** Creates the session of a request. */
export const sessionOf = (
  services: OdataServices,
  settings: AnswerSettings,
  { scope, stages }: SourceCaller,
): AnswerSession => {
  const model = visibleModel(services, scope);
  return {
    model,
    source: sourceOf(services, { scope, stages }, model),
    settings,
    queryDefaults,
    customer: scope.customer,
    scope: scope.scopeSha256,
    scopeChanged: () => new Refused("entitlement_changed", { target: "$skiptoken" }),
  };
};
