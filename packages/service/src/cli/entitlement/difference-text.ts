import type { FieldView } from "@cadastre/entitlement";
import { instantText } from "./describe.ts";
import type { EntitlementDifference, FieldChange, GainsAndLosses, GrantDifference } from "./difference.ts";
import { type GrantCatalog, systemIdOf } from "./grant-catalog.ts";

/** Returns a difference as lines: `+` for what is gained, `-` for what is lost, `~` for what is shown in another form. */
export function differenceLines(
  { products, channels, capabilities, regions, limits, grants, end }: EntitlementDifference,
  catalog: GrantCatalog,
): readonly string[] {
  return [
    ...changeLines("channel", channels),
    ...changeLines("product", products),
    ...changeLines("capability", capabilities),
    ...changeLines("rows in region", regions),
    ...grantLines(grants, catalog),
    ...limits.map((limit) => `~ limit ${limit}`),
    ...(end === undefined
      ? []
      : [`~ valid until ${instantText(end.after)}, before ${instantText(end.before)}`]),
  ];
}

const changeLines = (what: string, { gained, lost }: GainsAndLosses): readonly string[] => [
  ...gained.map((name) => `+ ${what} ${name}`),
  ...lost.map((name) => `- ${what} ${name}`),
];

/** Lines of the grants. Systems with the same difference of a resource share a line. */
function grantLines(grants: readonly GrantDifference[], catalog: GrantCatalog): readonly string[] {
  const systemsOf = new Map<string, string[]>();
  for (const grant of grants)
    for (const line of linesOf(grant)) {
      const systems = systemsOf.get(line) ?? [];
      systemsOf.set(line, systems);
      systems.push(systemIdOf(catalog, grant.dataset));
    }
  return [...systemsOf].map(([line, systems]) => line.replace("{systems}", systems.join(", ")));
}

function linesOf({ resource, rows, privateRows, fields }: GrantDifference): readonly string[] {
  const of = `of {systems}`;
  if (rows === "gained")
    return [`+ ${resource} ${of}: all rows in the regions, with ${fields.gained.length} fields`];
  if (rows === "lost") return [`- ${resource} ${of}: all rows, with ${fields.lost.length} fields`];
  return [
    ...(privateRows === "gained" ? [`+ ${resource} ${of}: private rows`] : []),
    ...(privateRows === "lost" ? [`- ${resource} ${of}: private rows`] : []),
    ...(fields.gained.length === 0 ? [] : [`+ ${resource} ${of}: ${fields.gained.join(", ")}`]),
    ...(fields.lost.length === 0 ? [] : [`- ${resource} ${of}: ${fields.lost.join(", ")}`]),
    ...fields.changed.map((change) => `~ ${resource} ${of}: ${changeText(change)}`),
  ];
}

const changeText = ({ field, before, after }: FieldChange): string =>
  `${field} is ${formText(after)}, before ${formText(before)}`;

const formText = ({ outcome, mask }: FieldView): string =>
  outcome === "masked" ? `masked${mask === undefined ? "" : ` by ${mask}`}` : outcome;
