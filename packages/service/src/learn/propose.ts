import {
  type Catalog,
  dictionaryCatalog,
  type Field,
  type LocalField,
  type LocalResource,
  type LookupStatus,
  type LookupTable,
  legacyValueOf,
  localResources,
  type OriginatingSystem,
} from "@cadastre/reso";
import type { FeedField, FeedLookupValue, FeedSchema } from "./feed-schema.ts";
import { fitsStandard, localFacets, typeText } from "./field-types.ts";

/** Fate of a field of the source. */
export type FieldVerdict = {
  readonly resource: string;
  readonly name: string;
  /**
   * `local`: added, or widened if the system has it with less room. `known`: the system has it, with enough room. `clash`: not proposed,
   * because its name or type conflicts, or the dictionary has another name for it. `left-out`: not representable.
   */
  readonly verdict: "standard" | "local" | "known" | "clash" | "left-out";
  /** Reason of a clash or omission, or a remark. */
  readonly reason?: string;
  /** Name under which the service has the field, if it is another one. */
  readonly renamedTo?: string;
};

/** Local fields and lookups that a source suggests for a system. */
export type Proposal = {
  readonly fields: Partial<Record<LocalResource, LocalField[]>>;
  readonly lookups: LookupTable;
  readonly verdicts: readonly FieldVerdict[];
  /** Remarks on lookups. */
  readonly notes: readonly string[];
};

export type ProposalOptions = {
  readonly prefixNames: boolean;
  readonly closedLookups: boolean;
};

const withLocalFields: ReadonlySet<string> = new Set(localResources);

/** Resources that describe the source. They have no local fields. */
const descriptions: ReadonlySet<string> = new Set(["Lookup", "Field"]);

/** Proposes the local fields and lookups of a system from the fields of its source. */
export function propose(
  { fields, lookups }: FeedSchema,
  system: OriginatingSystem,
  { systems }: Catalog,
  options: ProposalOptions,
): Proposal {
  const proposed: Partial<Record<LocalResource, LocalField[]>> = {};
  const additions = new Map<string, LookupTable[string]>();
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

  /**
   * Proposes the missing values of a lookup, unless the dictionary closes it (a note) or leaves it open. Returns the facets of a field that
   * has it.
   */
  function proposeLookup(lookup: string): Pick<LocalField, "lookup" | "lookupStatus"> {
    const standard = standardStatus.get(lookup);
    const values = lookups.get(lookup) ?? [];
    if (standard !== undefined) {
      const known = new Set([
        ...dictionaryCatalog.lookups.values(lookup).map(({ value }) => value),
        ...(system.lookups?.[lookup] ?? []).map(([value]) => value),
      ]);
      const added = values.filter(([value]) => !known.has(value.trim()));
      // The values of an open lookup, such as City, come from the records.
      if (standard === "Open with Enumerations" && added.length > 0)
        additions.set(lookup, toLookupValues(added));
      if (standard === "Locked with Enumerations" && added.length > 0)
        notes.push(
          `lookup ${lookup} is closed by the dictionary: records with ${quoted(added)} will be rejected, map these values`,
        );
      return { lookup, lookupStatus: standard };
    }
    const name = lookup.startsWith(system.prefix) ? lookup : system.prefix + lookup.replaceAll(/\W/g, "_");
    const own = toLookupValues(values);
    additions.set(name, own);
    if (own.length < values.length)
      notes.push(
        `lookup ${name}: ${values.length - own.length} values are listed twice, empty or longer than 255 characters, and left out`,
      );
    if (own.length === 0) return { lookup: name, lookupStatus: "Open" };
    return {
      lookup: name,
      lookupStatus: options.closedLookups ? "Locked with Enumerations" : "Open with Enumerations",
    };
  }

  function judge(field: FeedField): Omit<FieldVerdict, "resource" | "name"> {
    const resource = field.resource as LocalResource;
    const standardFields = dictionaryCatalog.resource(resource).fields;
    const standard = standardFields.find(({ name }) => name === field.name);
    if (standard !== undefined) {
      if (!fitsStandard(field, standard))
        return {
          verdict: "clash",
          reason: `the standard field is ${typeText(standard)}, the source has ${typeText(field)}: convert its values, or leave the field out`,
        };
      if (standard.lookup !== undefined && field.lookup === standard.lookup) proposeLookup(standard.lookup);
      return { verdict: "standard" };
    }
    const meant = standardFieldAlsoCalled(standardFields, field.name);
    if (meant !== undefined) {
      const isFree = !named.has(`${resource}/${meant.name}`);
      const fits = fitsStandard(field, meant);
      const to = `the dictionary's name for it is \`${meant.name}\``;
      if (!isFree)
        return {
          verdict: "clash",
          reason: `${to}, which the source has too: leave one of them out`,
        };
      if (!fits)
        return {
          verdict: "clash",
          reason: `${to}, which is ${typeText(meant)}, and the source has ${typeText(field)}: rename it`,
        };
      return {
        verdict: "clash",
        renamedTo: meant.name,
        reason: `${to}: map it to that`,
      };
    }
    if (!/^[A-Za-z_]\w*$/.test(field.name) || field.name.length > 128)
      return { verdict: "left-out", reason: "its name is no OData identifier of at most 128 characters" };
    const facets = localFacets(field);
    if (facets === undefined)
      return {
        verdict: "left-out",
        reason: `${typeText(field)} is no type of local fields: they are texts, booleans, integers, decimals, dates, timestamps and times`,
      };
    const name =
      options.prefixNames && !field.name.startsWith(system.prefix) ? system.prefix + field.name : field.name;
    const owner = others.get(`${resource}/${name}`.toLowerCase());
    if (owner !== undefined)
      return {
        verdict: "clash",
        reason: `${owner} has a field of that name: --prefix-names makes it \`${system.prefix}${field.name}\``,
      };
    const renamed = name === field.name ? {} : { renamedTo: name };
    const known = system.fields?.[resource]?.find((one) => one.name === name);
    const added: LocalField = {
      name,
      displayName: displayNameOf(field),
      ...facets,
      ...(field.lookup !== undefined && facets.type === "Edm.String" ? proposeLookup(field.lookup) : {}),
      ...(field.annotations === undefined ? {} : { annotations: field.annotations }),
    };
    if (known === undefined) {
      proposed[resource] = [...(proposed[resource] ?? []), added];
      return { verdict: "local", ...renamed };
    }
    if (typeText(known) !== typeText(added))
      return {
        verdict: "clash",
        reason: `the system has it as ${typeText(known)}, the source as ${typeText(added)}: a field keeps its type`,
      };
    const wider = widened(known, added);
    if (wider !== known) proposed[resource] = [...(proposed[resource] ?? []), wider];
    return wider === known
      ? { verdict: "known", ...renamed }
      : { verdict: "local", ...renamed, reason: "the system has it with less room" };
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
  return { fields: proposed, lookups: Object.fromEntries(news), verdicts, notes: [...new Set(notes)] };
}

/** Status of the dictionary's lookups. */
const standardStatus: ReadonlyMap<string, LookupStatus> = new Map(
  localResources.flatMap((resource) =>
    dictionaryCatalog
      .fieldsOf(resource)
      .flatMap(({ lookup, lookupStatus }): readonly (readonly [string, LookupStatus])[] =>
        lookup === undefined || lookupStatus === undefined ? [] : [[lookup, lookupStatus]],
      ),
  ),
);

/** Returns the standard field that a name stands for: a synonym of the dictionary, or the name in another letter case. */
function standardFieldAlsoCalled(fields: readonly Field[], name: string): Field | undefined {
  const folded = name.toLowerCase();
  return fields.find(
    (field) =>
      field.name.toLowerCase() === folded ||
      field.synonyms.some((synonym) => synonym.toLowerCase() === folded),
  );
}

/** Returns the known field with the greater facets of both, or itself if it has them. */
function widened(known: LocalField, found: LocalField): LocalField {
  const grown = (["maxLength", "precision", "scale"] as const).flatMap((facet) => {
    const [was, is] = [known[facet], found[facet]];
    return was !== undefined && is !== undefined && is > was ? [[facet, is] as const] : [];
  });
  return grown.length === 0 ? known : { ...known, ...Object.fromEntries(grown) };
}

/** Returns values in the form of the catalog: each value and each legacy name once. */
function toLookupValues(values: readonly FeedLookupValue[]): LookupTable[string] {
  const [known, names] = [new Set<string>(), new Set<string>()];
  return values.flatMap(([text, legacy], i): LookupTable[string] => {
    const value = text.trim();
    if (value === "" || value.length > 255 || /\p{Cc}/u.test(value) || known.has(value)) return [];
    const wanted =
      legacy !== undefined && /^\w{1,128}$/.test(legacy) ? legacy : legacyValueOf(value).slice(0, 100);
    const name = wanted === "" || names.has(wanted) ? `${wanted}_${i + 1}` : wanted;
    known.add(value);
    names.add(name);
    return [[value, name]];
  });
}

const quoted = (values: readonly FeedLookupValue[]): string =>
  values
    .slice(0, 5)
    .map(([value]) => `\`${value.slice(0, 64)}\``)
    .join(", ") + (values.length > 5 ? ` and ${values.length - 5} more` : "");

/** Returns the display name of a field: the source's, or the words of its name, without a prefix. */
function displayNameOf({ name, displayName }: FeedField): string {
  const given = displayName?.replaceAll(/\p{Cc}+/gu, " ").trim();
  if (given) return given.slice(0, 128);
  return wordsOfName(name) || name;
}

/** Returns the words of a field's name, without its prefix: `NSM_DockLength` is `Dock Length`. */
export const wordsOfName = (name: string): string =>
  name
    .replace(/^[A-Z0-9]+_/, "")
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, " ")
    .trim();
