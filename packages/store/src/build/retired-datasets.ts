import { identifier, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import { prunedNote } from "../schema/table.ts";
import type { Change } from "../store.ts";
import type { DatasetRetirement } from "./build.ts";

const [table, key, text] = [identifier("cadastre_note"), identifier("key"), identifier("text")];

/** Key of the note with the retired datasets. */
const retiredNote = "cadastre_retired";

const readNote = async (session: Session, name: string): Promise<string | undefined> => {
  const [row] = await session.rows(sql`select ${text} from ${table} where ${key} = ${value(name)}`);
  return row && String(row[0]);
};

/** A retirement without what can be computed. */
export type RetirementNote = Omit<DatasetRetirement, "datasetId" | "isPast">;

/** Returns the retired datasets, by dataset id. */
export const readRetired = async (session: Session): Promise<ReadonlyMap<string, RetirementNote>> =>
  new Map(
    Object.entries(
      JSON.parse((await readNote(session, retiredNote)) ?? "{}") as Record<string, RetirementNote>,
    ),
  );

/** Sets or, with undefined, deletes what is noted of a retired dataset. */
export async function noteRetired(
  session: Session,
  datasetId: string,
  retirement: RetirementNote | undefined,
): Promise<void> {
  const retired = Object.fromEntries(await readRetired(session));
  if (retirement === undefined) delete retired[datasetId];
  else retired[datasetId] = retirement;
  await session.rows(
    sql`insert into ${table} (${key}, ${text}) values (${value(retiredNote)}, ${value(JSON.stringify(retired))})
  on conflict (${key}) do update set ${text} = excluded.${text}`,
  );
}

/** Reads the earliest checkpoint that can still be read. */
export const readPruned = async (session: Session): Promise<number> =>
  Number((await readNote(session, prunedNote)) ?? 0);

/**
 * Returns the changes. If a dataset is retired, they are checked while they are read.
 *
 * @throws {StoreError} `dataset_retired`, when a change of a retired dataset is read
 */
export async function withoutRetired<One extends Pick<Change, "datasetId">>(
  session: Session,
  changes: Iterable<One> | AsyncIterable<One>,
): Promise<Iterable<One> | AsyncIterable<One>> {
  const retired = await readRetired(session);
  return retired.size === 0 ? changes : refuseRetired(changes, retired);
}

async function* refuseRetired<One extends Pick<Change, "datasetId">>(
  changes: Iterable<One> | AsyncIterable<One>,
  retired: ReadonlyMap<string, unknown>,
): AsyncGenerator<One> {
  for await (const change of changes) {
    const { datasetId } = change;
    if (datasetId !== null && retired.has(datasetId)) throw new StoreError("dataset_retired", datasetId);
    yield change;
  }
}
