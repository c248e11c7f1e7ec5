import type { AppliedField, AppliedQuery } from "@cadastre/odata/apply";
import type { StructuredType } from "@cadastre/odata/run";

/** Names of a select list: `Country` and the names below `Customer`. */
type Names = Map<string, Names>;

/**
 * Returns the fragment of the context URL for rows that are no entities: `Sales(Customer(Country),Total)`. It lists the properties that all
 * records have. Source: OData Extension for Data Aggregation 4.0, section 3.1.1; OData Protocol 4.01, section 10.9.
 */
export function contextOfApplied({ apply, fields }: AppliedQuery): string {
  const { entitySet, output } = apply;
  const structures = [...(output.structures?.values() ?? [])];
  const own = new Set(output.columns.map(({ path }) => path.join("/")));
  const isInAll = ({ path }: AppliedField) => {
    const joined = path.join("/");
    return !own.has(joined) || structures.every((paths) => paths.has(joined));
  };
  const names: Names = new Map();
  for (const { path } of fields.filter(isInAll)) {
    let level = names;
    for (const name of path) {
      const below = level.get(name) ?? new Map<string, Names>();
      level.set(name, below);
      level = below;
    }
  }
  const listed = listOf(names, entitySet.type);
  return `${entitySet.name}(${listed.length === 0 ? "@Core.AnyStructure" : listed.join(",")})`;
}

/** Lists properties behind a navigation property in parentheses, and those of a complex value by their paths. */
function listOf(names: Names, type: StructuredType | undefined): readonly string[] {
  return [...names].flatMap(([name, below]) => {
    if (below.size === 0) return [name];
    const target = type?.structured?.get(name)?.target();
    const listed = listOf(below, target);
    // Only entities have keys.
    return target !== undefined && "key" in target
      ? [`${name}(${listed.join(",")})`]
      : listed.map((path) => `${name}/${path}`);
  });
}
