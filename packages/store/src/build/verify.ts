import type { Session } from "../database/session.ts";
import type { TableSchema } from "../schema/table.ts";
import type { BuildFault } from "./build.ts";
import { type DigestPart, type DigestSql, digestAsOf, StateDigest, sumText } from "./digest.ts";
import { readDigestCheckpoint, readPartsAt } from "./digest-table.ts";
import { readBuilds } from "./history.ts";

/** See `Builds.verify`. All statements must see one state of the database. */
export async function verifyBuilds(
  session: Session,
  table: TableSchema,
  tables: readonly TableSchema[],
  database: DigestSql,
): Promise<readonly BuildFault[]> {
  const resource = table.name;
  const [serving] = await readBuilds(session, resource, 1);
  const digested = await readDigestCheckpoint(session, resource);
  const checkpoint = digested ?? serving?.checkpoint;
  if (checkpoint === undefined) return [];
  const found = await digestAsOf(checkpoint, session, table, tables, database);
  const faults: BuildFault[] = [];
  if (digested !== undefined)
    faults.push(...differences(resource, await readPartsAt(session, resource, checkpoint), found.parts()));
  if (serving === undefined) return faults;
  const stored =
    digested === undefined
      ? found
      : new StateDigest(await readPartsAt(session, resource, serving.checkpoint));
  const { records, sha256 } = stored.total();
  if (records !== serving.records || sha256 !== serving.sha256)
    faults.push({
      resource,
      datasetId: undefined,
      detail: `the build ${serving.id} has ${serving.records} records with the hash ${serving.sha256}, its datasets have ${records} with ${sha256}`,
    });
  return faults;
}

/** Compares sums by dataset: the sum of a dataset does not depend on the sources of its records. */
function differences(
  resource: string,
  stored: readonly DigestPart[],
  found: readonly DigestPart[],
): readonly BuildFault[] {
  const [expected, actual] = [byDataset(stored), byDataset(found)];
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((datasetId) => {
    const [was, is] = [textOf(expected.get(datasetId)), textOf(actual.get(datasetId))];
    return was === is ? [] : [{ resource, datasetId, detail: `${was} were published, there are ${is}` }];
  });
}

function byDataset(parts: readonly DigestPart[]): ReadonlyMap<string | null, DigestPart> {
  const datasets = new StateDigest(parts.map((part) => ({ ...part, source: null })));
  return new Map(datasets.parts().map((part) => [part.datasetId, part]));
}

const textOf = (part: DigestPart | undefined): string =>
  part === undefined ? "0 records" : `${part.records} records with the sum ${sumText(part.sum)}`;
