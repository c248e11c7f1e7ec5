/** Selection of an entity set that is copied. */
export type ReplicaQuery = {
  readonly resource: string;
  readonly keyField: string;
  /** `$filter` that all records must satisfy. */
  readonly filter?: string | undefined;
  /** `$select`. The key and ModificationTimestamp are added. */
  readonly select?: readonly string[] | undefined;
};

/** Returns the text that decides which records and fields a copy has. */
export const queryIdentity = ({ keyField, filter, select }: ReplicaQuery): string =>
  JSON.stringify([keyField, filter ?? null, select ?? null]);

/** Returns the path of the first page of the records that were modified at or after `since` (null: all). */
export function firstPath(
  { resource, keyField, filter, select }: ReplicaQuery,
  since: string | null,
): string {
  const conditions = [
    ...(since === null ? [] : [`ModificationTimestamp ge ${since}`]),
    ...(filter === undefined ? [] : [`(${filter})`]),
  ];
  return pathWith(resource, {
    $orderby: "ModificationTimestamp asc",
    $filter: conditions.length === 0 ? undefined : conditions.join(" and "),
    $select:
      select === undefined ? undefined : [...new Set([keyField, "ModificationTimestamp", ...select])].join(),
  });
}

/** Returns the path of the first page of the keys of all records. */
export const keysPath = ({ resource, keyField, filter }: ReplicaQuery): string =>
  pathWith(resource, { $orderby: keyField, $select: keyField, $filter: filter });

/** Returns the path of a page without records, which shows if the service gives delta links. */
export const trialPath = ({ resource, filter }: ReplicaQuery): string =>
  pathWith(resource, { $top: "0", $filter: filter });

function pathWith(resource: string, options: Readonly<Record<string, string | undefined>>): string {
  const texts = Object.entries(options).flatMap(([name, text]) =>
    text === undefined ? [] : [`${name}=${encodeURIComponent(text)}`],
  );
  return `/reso/odata/${resource}?${texts.join("&")}`;
}
