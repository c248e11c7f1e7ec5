/**
 * Constructs in statements on tables of records that Citus cannot distribute by dataset, or that it runs tens of times as slowly, because it
 * moves the rows of all datasets between nodes.
 */
export const undistributable = {
  /** Source: Citus, "unique constraints must include the partition column". */
  key: "a primary key or unique index has no dataset",
  conflict: "`on conflict` names no dataset",
  join: "a join of two tables of records does not compare their datasets",
  subquery: "a subquery on a table of records does not compare the dataset with that of the outer query",
  write: "a statement that writes in a `with` is not of one dataset, given as a parameter",
} as const;

export type DistributionFault = keyof typeof undistributable;

/** The text of a pair of parentheses, without those within it. */
type Group = {
  /** Its own text, in which `(n)` stands for the nth group within it. */
  text: string;
  readonly groups: Group[];
};

const dataset = '"DatasetId"';

/**
 * Returns the constructs of a statement that cannot be distributed.
 *
 * @param tables names of the tables that are distributed by dataset
 */
export function distributionFaults(
  statement: string,
  tables: ReadonlySet<string>,
): ReadonlySet<DistributionFault> {
  const faults = new Set<DistributionFault>();
  const whole = groupsOf(statement);
  const isWrite = /^\s*with\b/i.test(whole.text) && /\b(insert into|update|delete from) "/.test(statement);
  visit(whole, false);
  return faults;

  /** @param isWithin true if an outer query reads a table of records, row by row of which the group may be computed */
  function visit({ text, groups }: Group, isWithin: boolean): void {
    findKeyFaults(text, groups);
    for (const query of text.split(/\b(?:union all|union|except)\b/)) {
      const read = tablesIn(query);
      const comparesDataset = isCompared(query, groups);
      if (read.length > 0) {
        if (isWrite && !hasGivenDataset(query)) faults.add("write");
        if (isWithin && !comparesDataset) faults.add("subquery");
        if (read.length > 1 && !comparesDataset) faults.add("join");
      }
      let previous: Group | undefined;
      for (const [, before = "", n] of query.matchAll(/([^()]*)\((\d+)\)/g)) {
        const group = groups[Number(n)];
        if (group === undefined) continue;
        // Lists of columns with the dataset are compared.
        const isMember = /^\s*(?:not )?in\s*$/i.test(before) && previous?.text.includes(dataset) === true;
        previous = group;
        const isRow = !/^\s*(?:select|with)\b/i.test(group.text);
        // A table expression, or a statement of a `with`, is computed by itself.
        const isByItself = /\b(?:from|join|materialized|as|lateral)\s*$/i.test(before);
        visit(group, isRow ? isWithin : !isByItself && !isMember && (isWithin || read.length > 0));
      }
    }
  }

  function findKeyFaults(text: string, groups: readonly Group[]): void {
    const columnsAfter = (pattern: RegExp) => {
      const [, n] = pattern.exec(text) ?? [];
      return n === undefined ? undefined : groups[Number(n)]?.text;
    };
    const [, table = ""] = /\b(?:into|table|on) "([^"]+)"/.exec(text) ?? [];
    if (!tables.has(table)) return;
    if (columnsAfter(/\bon conflict \((\d+)\)/)?.includes(dataset) === false) faults.add("conflict");
    const created = /\bcreate table [^(]*\((\d+)\)/.exec(text)?.[1];
    const definition = created === undefined ? undefined : groups[Number(created)];
    const keys = definition === undefined ? [] : keysIn(definition);
    const unique = columnsAfter(/\bcreate unique index [^(]*\((\d+)\)/);
    const added = columnsAfter(/\badd (?:constraint "[^"]+" )?(?:primary key|unique) \((\d+)\)/);
    for (const columns of [...keys, unique, added])
      if (columns?.includes(dataset) === false) faults.add("key");
  }

  /** Returns the names of the tables of records that a query without its groups reads or deletes from. */
  function tablesIn(query: string): readonly string[] {
    const named = [...query.matchAll(/\b(?:(?<!distinct )from|join|using|update) "([^"]+)"/g)].map(
      ([, name = ""]) => name,
    );
    return named.filter((name) => tables.has(name));
  }
}

/** Returns the columns of the keys in the definition of a table. */
const keysIn = ({ text, groups }: Group): readonly string[] =>
  [...text.matchAll(/\b(?:primary key|unique) \((\d+)\)/g)].map(([, n]) => groups[Number(n)]?.text ?? "");

/** True if the dataset is compared, alone or as a part of a list of columns. */
function isCompared(query: string, groups: readonly Group[]): boolean {
  if (/"DatasetId"\s*(?:=|in\b)|=\s*(?:"[^"]+"\.)?"DatasetId"/.test(query)) return true;
  // Conditions in parentheses, other than subqueries.
  return [...query.matchAll(/\((\d+)\)/g)].some(([, n]) => {
    const group = groups[Number(n)];
    return group !== undefined && !/^\s*select\b/i.test(group.text) && isCompared(group.text, group.groups);
  });
}

const hasGivenDataset = (query: string): boolean => /"DatasetId" = \$\d+/.test(query);

/** Splits a statement at its parentheses. Texts in quotes are left out. */
function groupsOf(statement: string): Group {
  const whole: Group = { text: "", groups: [] };
  const open = [whole];
  for (const [token] of statement.matchAll(/'(?:[^']|'')*'|"[^"]*"|\(|\)|[^'"()]+/g)) {
    const group = open.at(-1) ?? whole;
    if (token === "(") {
      const inner: Group = { text: "", groups: [] };
      group.text += `(${group.groups.push(inner) - 1})`;
      open.push(inner);
    } else if (token === ")") open.pop();
    else group.text += token.startsWith("'") ? "''" : token.replaceAll(/\s+/g, " ");
  }
  return whole;
}
