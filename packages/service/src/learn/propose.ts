import { nearest } from "@cadastre/odata";
import {
  type Catalog,
  type Dictionary,
  type Field,
  type LocalField,
  type LocalResource,
  type LookupStatus,
  type LookupTable,
  localResources,
  type OriginatingSystem,
} from "@cadastre/reso";
import type { ResourceMapping } from "../ingest/mapping.ts";
import type { FeedField, FeedSchema } from "./feed-schema.ts";
import { displayNameOf, fieldAlsoCalled, identifierOf } from "./field-names.ts";
import { fitsStandard, localFacets, typeText, widened } from "./field-types.ts";
import type { FieldVerdict } from "./field-verdict.ts";
import { mergeNotes, quotedValues, toLookupValues, withStandardTexts } from "./lookup-values.ts";
import { sourceMapping } from "./source-mapping.ts";

/** Local fields and lookups that a source suggests for a system. */
export type Proposal = {
  readonly fields: Partial<Record<LocalResource, LocalField[]>>;
  readonly lookups: LookupTable;
  readonly verdicts: readonly FieldVerdict[];
  /** Mapping that makes what is proposed, and standard fields, of the source's records. */
  readonly mapping: Readonly<Record<string, ResourceMapping>>;
  /** Remarks on lookups. */
  readonly notes: readonly string[];
};

export type ProposalOptions = {
  readonly prefixNames: boolean;
  /** True to leave out local fields whose names do not begin with the prefix of the system: those of other systems of the source. */
  readonly ownPrefix: boolean;
  readonly closedLookups: boolean;
};

const withLocalFields: ReadonlySet<string> = new Set(localResources);

/** Resources that describe the source. They have no local fields. */
const descriptions: ReadonlySet<string> = new Set(["Lookup", "Field"]);

/** Proposes the local fields and lookups of a system from the fields of its source. */
export function propose(
  schema: FeedSchema,
  system: OriginatingSystem,
  { systems, fieldsOf, dictionary }: Catalog,
  options: ProposalOptions,
): Proposal {
  const { fields } = schema;
  const lookups = withStandardTexts(schema, dictionary);
  const standardStatus = lookupStatuses(dictionary);
  const proposed: Partial<Record<LocalResource, LocalField[]>> = {};
  const additions = new Map<string, LookupTable[string]>();
  /** Lookups of the source, by the name of the lookup that has their values here. */
  const origins = new Map<string, Set<string>>();
  const notes: string[] = [];
  const others = new Map(
    systems
      .filter(({ id }) => id !== system.id)
      .flatMap(({ id, fields: own = {} }) =>
        Object.entries(own).flatMap(([resource, list]) =>
          list.map((field): [string, string] => [`${resource}/${field.name}`.toLowerCase(), id]),
        ),
      ),
  );
  const named = new Set(fields.map(({ resource, name }) => `${resource}/${name}`));
  const taken = new Set<string>();

  function addOrigin(name: string, lookup: string): ReadonlySet<string> {
    const found = (origins.get(name) ?? new Set()).add(lookup);
    origins.set(name, found);
    return found;
  }

  /**
   * Proposes the missing values of a lookup, unless the dictionary closes it (a note) or leaves it open. Returns the facets of a field that
   * has it.
   *
   * @param origin the source's lookup that has the values
   */
  function proposeLookup(
    lookup: string,
    { origin = lookup, isSampled = false } = {},
  ): Pick<LocalField, "lookup" | "lookupStatus"> {
    const standard = standardStatus.get(lookup);
    const values = lookups.get(origin) ?? [];
    if (standard !== undefined) {
      const known = new Set([
        ...dictionary.valuesOf(lookup).map(([value]) => value),
        ...(system.lookups?.[lookup] ?? []).map(([value]) => value),
      ]);
      const added = values.filter(([value]) => !known.has(value.trim()));
      // The values of an open lookup, such as City, come from the records.
      if (standard === "Open with Enumerations" && added.length > 0) {
        addOrigin(lookup, origin);
        const before = additions.get(lookup) ?? [];
        additions.set(lookup, toLookupValues([...before, ...added], system.lookups?.[lookup]));
      }
      if (standard === "Locked with Enumerations" && added.length > 0)
        notes.push(
          `lookup ${lookup} is closed by the dictionary: records with ${quotedValues(added)} will be rejected, map these values`,
        );
      return { lookup, lookupStatus: standard };
    }
    const name = lookup.startsWith(system.prefix) ? lookup : system.prefix + lookup.replaceAll(/\W/g, "_");
    const all = [...addOrigin(name, lookup)].flatMap((one) => lookups.get(one) ?? []);
    const own = toLookupValues(all, system.lookups?.[name]);
    additions.set(name, own);
    if (toLookupValues(values).length < values.length)
      notes.push(
        `lookup ${name}: ${values.length - toLookupValues(values).length} values are listed twice, empty or longer than 255 characters, and left out`,
      );
    if (own.length === 0) return { lookup: name, lookupStatus: "Open" };
    // A sample does not tell that there are no other values.
    const status = isSampled ? "Open" : "Open with Enumerations";
    return { lookup: name, lookupStatus: options.closedLookups ? "Locked with Enumerations" : status };
  }

  function judge(field: FeedField): Omit<FieldVerdict, "resource" | "name"> {
    const resource = field.resource as LocalResource;
    const standardFields = dictionary.fieldsOf(resource);
    const meant = fieldAlsoCalled(standardFields, field.name);
    if (meant !== undefined) return judgeStandard(field, meant);
    const identifier = identifierOf(field.name);
    if (identifier === undefined)
      return { verdict: "left-out", reason: "its name is no OData identifier of at most 128 characters" };
    if (options.ownPrefix && !identifier.startsWith(system.prefix)) return { verdict: "left-out" };
    const { sampled } = field;
    if (sampled?.untyped !== undefined) return sampled.untyped;
    const facets = localFacets(field);
    if (facets === undefined)
      return {
        verdict: "left-out",
        reason: `${typeText(field)} is no type of local fields: they are texts, booleans, integers, decimals, dates, timestamps and times`,
      };
    const name =
      options.prefixNames && !identifier.startsWith(system.prefix) ? system.prefix + identifier : identifier;
    const owner = others.get(`${resource}/${name}`.toLowerCase());
    if (owner !== undefined)
      return {
        verdict: "clash",
        reason: `${owner} has a field of that name: --prefix-names makes it \`${system.prefix}${identifier}\``,
      };
    const folded = `${resource}/${name}`.toLowerCase();
    if (taken.has(folded))
      return {
        verdict: "clash",
        reason: `the source has two fields for \`${name}\`: leave one of them out, or rename it`,
      };
    taken.add(folded);
    const renamed = name === field.name ? {} : { renamedTo: name };
    const known = system.fields?.[resource]?.find((one) => one.name === name);
    const misfit = sampled?.misfits.get(name);
    if (known !== undefined && sampled !== undefined && misfit === undefined) {
      if (known.lookup !== undefined && field.lookup === known.lookup) proposeLookup(known.lookup);
      return { verdict: "known", ...renamed };
    }
    const added: LocalField = {
      name,
      displayName: displayNameOf(field),
      ...facets,
      ...(field.lookup !== undefined && facets.type === "Edm.String"
        ? proposeLookup(field.lookup, { isSampled: sampled !== undefined })
        : {}),
      ...(field.annotations === undefined ? {} : { annotations: field.annotations }),
    };
    if (known === undefined) {
      proposed[resource] = [...(proposed[resource] ?? []), added];
      const reason = remarkOn(added, field, standardFields);
      return { verdict: "local", ...renamed, ...(reason === undefined ? {} : { reason }) };
    }
    if (typeText(known) !== typeText(added))
      return {
        verdict: "clash",
        reason: misfit
          ? `${misfit}: map these values`
          : `the system has it as ${typeText(known)}, the source as ${typeText(added)}: a field keeps its type`,
      };
    const wider = widened(known, added);
    if (wider === known)
      return misfit === undefined
        ? { verdict: "known", ...renamed }
        : { verdict: "clash", reason: `${misfit}: map these values` };
    proposed[resource] = [...(proposed[resource] ?? []), wider];
    return { verdict: "local", ...renamed, reason: "the system has it with less room" };
  }

  /** Judges a field that has the name of a standard one, or another name for it. */
  function judgeStandard(field: FeedField, standard: Field): Omit<FieldVerdict, "resource" | "name"> {
    const { name } = standard;
    const isRenamed = field.name !== name;
    const to = isRenamed ? `the dictionary's name for it is \`${name}\`, ` : "";
    if (isRenamed && named.has(`${field.resource}/${name}`))
      return { verdict: "clash", reason: `${to}which the source has too: leave one of them out` };
    if (!fieldsOf(field.resource as LocalResource).some((one) => one.name === name))
      return {
        verdict: "clash",
        reason: `${to}${isRenamed ? "which is" : "it is"} a standard field that is switched off: \`cadastre field enable ${field.resource} ${name}\` serves it`,
      };
    const renamed = isRenamed ? { renamedTo: name } : {};
    if (field.sampled === undefined && !fitsStandard(field, standard))
      return {
        verdict: "clash",
        reason: isRenamed
          ? `${to}which is ${typeText(standard)}, and the source has ${typeText(field)}: rename it`
          : `the standard field is ${typeText(standard)}, the source has ${typeText(field)}: convert its values, or leave the field out`,
      };
    // An enumeration may be named otherwise than the dictionary's lookup.
    if (
      standard.lookup !== undefined &&
      (field.lookup === standard.lookup || field.enumeration !== undefined)
    )
      proposeLookup(standard.lookup, { origin: field.lookup });
    const misfit = field.sampled?.misfits.get(name);
    if (misfit !== undefined)
      return {
        verdict: "clash",
        ...renamed,
        reason: `${to}${misfit}: map these values, or leave the field out`,
      };
    return isRenamed
      ? { verdict: "clash", ...renamed, reason: `${to.slice(0, -2)}: map it to that` }
      : { verdict: "standard" };
  }

  const unknown = new Map<string, number>();
  const verdicts: FieldVerdict[] = [];
  for (const field of fields) {
    const { resource, name } = field;
    if (withLocalFields.has(resource)) verdicts.push({ resource, name, ...judge(field) });
    else if (!descriptions.has(resource)) unknown.set(resource, (unknown.get(resource) ?? 0) + 1);
  }
  for (const [resource, count] of unknown)
    verdicts.push({
      resource,
      name: "*",
      verdict: "left-out",
      reason: `the service has no such resource: ${count} fields`,
    });
  const own = system.lookups ?? {};
  const news = [...additions].flatMap(([name, values]) => {
    const known = new Set((own[name] ?? []).map(([value]) => value));
    const added = values.filter(([value]) => !known.has(value));
    return added.length > 0 || !Object.hasOwn(own, name) ? [[name, added] as const] : [];
  });
  const lookupsOf = Object.fromEntries(news);
  const merged = [...origins].flatMap(([name, from]) => {
    const before = standardStatus.has(name)
      ? { owner: "dictionary", values: dictionary.valuesOf(name).length }
      : { owner: "system", values: own[name]?.length ?? 0 };
    return mergeNotes(name, [...from], lookupsOf[name]?.length ?? 0, before);
  });
  const mapping = sourceMapping(verdicts, { fields, lookups });
  const enumerations = Object.values(mapping).flatMap(({ values = {} }) => Object.keys(values)).length;
  if (enumerations > 0)
    notes.push(
      `fields whose enumerations name members otherwise than their values: ${enumerations}. Read the records with the mapping that --mapping-out writes`,
    );
  return {
    fields: proposed,
    lookups: lookupsOf,
    verdicts,
    mapping,
    notes: [...new Set([...notes, ...merged])],
  };
}

/** Returns the status of the dictionary's lookups, by name. */
const lookupStatuses = (dictionary: Dictionary): ReadonlyMap<string, LookupStatus> =>
  new Map(
    localResources.flatMap((resource) =>
      dictionary
        .fieldsOf(resource)
        .flatMap(({ lookup, lookupStatus }): readonly (readonly [string, LookupStatus])[] =>
          lookup === undefined || lookupStatus === undefined ? [] : [[lookup, lookupStatus]],
        ),
    ),
  );

/** Returns what the operator may want to change of a field that a sample suggests. */
function remarkOn(
  { lookup, lookupStatus }: LocalField,
  { name, sampled }: FeedField,
  standardFields: readonly Field[],
): string | undefined {
  if (sampled === undefined) return undefined;
  const meant = nearest(
    name,
    standardFields.map((field) => field.name),
  );
  const remarks = [
    meant !== undefined &&
      `its name is near the standard field \`${meant}\`: rename it in a mapping if it is that`,
    lookup !== undefined &&
      lookupStatus === "Open" &&
      `its values repeat, so \`${lookup}\` lists them and takes others too: --closed-lookups makes it reject others`,
    sampled.remark,
  ].filter((remark) => typeof remark === "string");
  return remarks.length === 0 ? undefined : remarks.join("; ");
}
