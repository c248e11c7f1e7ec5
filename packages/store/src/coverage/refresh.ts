import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import {
  beginning,
  beginningValue,
  recordColumns,
  type StoredTable,
  sourceProperty,
  validity,
} from "../schema/table.ts";
import type { Counted } from "../stored-resource.ts";
import { groupedValue } from "./group.ts";
import { addToGroups, countedRecords, deleteGroups, readState, writeState } from "./group-table.ts";
import { type EmptyTexts, emptyTextsOf, Population } from "./population.ts";

/** Maximum number of groups counted in memory before they are written: about 4 kB each. */
const maxGroups = 4096;

/** The build to count. */
type Refreshed = { readonly checkpoint: number; readonly records: number };

/**
 * Updates the coverage of a resource to match a build, from the records changed since the last update. Counts all records again if they
 * were counted by other columns, or if the number of counted records differs from that of the build.
 *
 * @param datasetId expression for the dataset id of a row
 */
export async function refreshCoverage(
  session: Session,
  stored: StoredTable,
  datasetId: SqlFragment,
  build: Refreshed,
): Promise<void> {
  const { name, counted } = stored.table;
  if (counted === undefined) return;
  const by = JSON.stringify(counted);
  const state = await readState(session, name);
  const isBy = state?.counted === by;
  if (isBy) await countSince(session, stored, datasetId, counted, state.checkpoint);
  if (!isBy || (await countedRecords(session, name)) !== build.records) {
    await deleteGroups(session, name);
    await countSince(session, stored, datasetId, counted, 0);
  }
  await writeState(session, name, { checkpoint: build.checkpoint, counted: by });
}

/**
 * Adds the versions that began after a checkpoint, and subtracts those that were current at the checkpoint and have ended since.
 */
async function countSince(
  session: Session,
  { table, members }: StoredTable,
  datasetId: SqlFragment,
  counted: Counted,
  checkpoint: number,
): Promise<void> {
  const columns = join(
    [
      identifier(recordColumns.members),
      datasetId,
      ...[sourceProperty.name, counted.system, ...counted.places.map(({ column }) => column)].map((name) =>
        identifier(name),
      ),
    ],
    ", ",
  );
  const since = sql`cast(${value(checkpoint)} as bigint)`;
  const began = sql`select ${columns} from ${identifier(table.name)} where ${beginning} > ${beginningValue(checkpoint)}`;
  const ended = sql`select ${columns} from ${identifier(table.closed)}
  where ${identifier(validity.to.name)} > ${since} and ${identifier(validity.from.name)} <= ${since}`;
  const tally = new Tally(session, table.name, counted, emptyTextsOf(members));
  for await (const row of session.stream(began)) await tally.count(row, 1);
  if (checkpoint > 0) for await (const row of session.stream(ended)) await tally.count(row, -1);
  await tally.write();
}

/** Counts records by group. */
class Tally {
  readonly #session: Session;
  readonly #resource: string;
  readonly #counted: Counted;
  readonly #empty: EmptyTexts;
  readonly #groups = new Map<string, Population>();

  constructor(session: Session, resource: string, counted: Counted, empty: EmptyTexts) {
    this.#session = session;
    this.#resource = resource;
    this.#counted = counted;
    this.#empty = empty;
  }

  /** @param row the record's member index, then its dataset, source and system, and the values of its location columns */
  async count([members, dataset, source, system, ...row]: readonly unknown[], weight: 1 | -1): Promise<void> {
    const places = this.#counted.places.map((place, i) => groupedValue(place, row[i] as string | null));
    const text = JSON.stringify([dataset, source, system, ...places]);
    let population = this.#groups.get(text);
    if (population === undefined) {
      if (this.#groups.size >= maxGroups) await this.write();
      population = new Population(this.#empty.length);
      this.#groups.set(text, population);
    }
    population.count(members as string, this.#empty, weight);
  }

  async write(): Promise<void> {
    await addToGroups(this.#session, this.#resource, this.#groups);
    this.#groups.clear();
  }
}
