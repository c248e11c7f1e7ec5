import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import { refreshCoverage } from "../coverage/refresh.ts";
import type { Session } from "../database/session.ts";
import {
  beginning,
  isSameRecord,
  recordText,
  type StoredTable,
  type TableSchema,
  validity,
} from "../schema/table.ts";
import type { Commit } from "../store.ts";
import { createUlid } from "../ulid.ts";
import type { PendingChange } from "../write/version.ts";
import type {
  Build,
  Candidate,
  CandidateRecord,
  Check,
  GateVerdict,
  PublicationOptions,
  PublicationResult,
} from "./build.ts";
import type { BuildDatabase, CandidateReads, OpenCommit } from "./build-database.ts";
import { storeCurrentDigest, writeDigest } from "./digest-table.ts";
import { addBuild, readBuilds } from "./history.ts";
import { isStillValid, type Rehearsed, rehearse, rehearsedDigest } from "./rehearse.ts";
import { checkpointOf, setChanges } from "./set-changes.ts";
import { readSources, servedCursors, writeSource } from "./sources.ts";
import { readySources, stagedChanges, stageMissing } from "./staged-changes.ts";
import { deleteStaged } from "./staging.ts";

/** Thrown to roll back a publication whose check did not pass. */
class Refusal extends Error {
  override readonly name = "Refusal";
  readonly verdicts: Readonly<Record<string, GateVerdict>>;

  constructor(verdicts: Readonly<Record<string, GateVerdict>>) {
    super("a candidate did not pass");
    this.verdicts = verdicts;
  }
}

const unchecked: Check = () => ({ passed: true, evidence: null });

/** Thrown to roll back a publication of something else than was rehearsed. */
class Outdated extends Error {
  override readonly name = "Outdated";
}

/** Number of times that a publication is rehearsed while other commits go on. Then they wait for the rehearsal. */
const rehearsals = 3;

/** See `Builds.publish`. */
export async function publishBuild(
  database: BuildDatabase,
  tables: readonly StoredTable[],
  check: Check = unchecked,
  { rehearse: isRehearsed = false }: PublicationOptions = {},
): Promise<PublicationResult> {
  const publish = (rehearsed?: Rehearsed | "within") =>
    database.write((open, reads) => publishWithin(open, reads, database, tables, check, rehearsed));
  try {
    if (!isRehearsed) return await publish();
    for (let i = 0; i < rehearsals; i++)
      try {
        return await publish(await database.snapshot((session) => rehearse(session, database, tables)));
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
      }
    return await publish("within");
  } catch (error) {
    if (error instanceof Refusal) return { published: false, verdicts: error.verdicts };
    throw error;
  }
}

/** @param given the rehearsal, or `within` to rehearse in this commit */
async function publishWithin(
  open: OpenCommit,
  reads: CandidateReads,
  database: BuildDatabase,
  tables: readonly StoredTable[],
  check: Check,
  given: Rehearsed | "within" | undefined,
): Promise<PublicationResult> {
  const rehearsed = given === "within" ? await rehearse(open.session, database, tables) : given;
  if (given !== "within" && rehearsed !== undefined)
    if (!(await isStillValid(rehearsed, open.session, database, tables))) throw new Outdated();
  await open.fill(takeStaged(open.session, database, tables));
  await open.updateFollowers();
  const commit = await open.finish();
  const builds: Build[] = [];
  const verdicts: Record<string, GateVerdict> = {};
  for (const { table } of tables) {
    const candidate = await candidateOf(open.session, reads, database, table, commit, rehearsed);
    const verdict = await check(candidate);
    verdicts[candidate.resource] = verdict;
    builds.push(await serve(open, candidate, verdict));
  }
  if (Object.values(verdicts).some(({ passed }) => !passed)) throw new Refusal(verdicts);
  for (const [i, stored] of tables.entries()) {
    const build = builds[i];
    if (build !== undefined) await refreshCoverage(open.session, stored, database.datasetId, build);
    await forgetPublished(open.session, database, stored.table);
  }
  return { published: true, commit, builds };
}

/** Yields all staged changes of the resources, and marks them as served. Sources whose full set is still open are skipped. */
async function* takeStaged(
  session: Session,
  { datasetId }: BuildDatabase,
  tables: readonly StoredTable[],
): AsyncGenerator<PendingChange> {
  for (const { table } of tables) {
    const sources = readySources(await readSources(session, table.name));
    if (sources.length === 0) continue;
    for (const state of sources)
      if (state.fullSet === "whole") await stageMissing(session, table, datasetId, state);
    yield* stagedChanges(session, table, datasetId, sources);
    for (const state of sources)
      await writeSource(session, table.name, { ...state, served: state.cursor, fullSet: null });
  }
}

/** Deletes the staged changes of all sources but those whose full set is still open. */
async function forgetPublished(
  session: Session,
  { emptyTable }: BuildDatabase,
  table: TableSchema,
): Promise<void> {
  const sources = await readSources(session, table.name);
  const ready = readySources(sources);
  if (ready.length === sources.length) await emptyTable(session, table.staged);
  else for (const { source } of ready) await deleteStaged(session, table, source);
}

async function candidateOf(
  session: Session,
  reads: CandidateReads,
  database: BuildDatabase,
  table: TableSchema,
  commit: Commit,
  rehearsed: Rehearsed | undefined,
): Promise<Candidate> {
  const [current, closed] = [identifier(table.name), identifier(table.closed)];
  const checkpoint = checkpointOf(commit);
  // A publication that writes nothing publishes the records that were rehearsed: those of the last commit.
  const isSame = commit.written + commit.removed === 0;
  const digestOf = async (of: TableSchema) => {
    const known = isSame ? rehearsedDigest(rehearsed, of.name, commit.checkpoint) : undefined;
    if (known === undefined) return storeCurrentDigest(session, of, schemas, database, commit.checkpoint);
    await writeDigest(session, of.name, known, commit.checkpoint);
    return known;
  };
  const hasBegun = sql`${identifier(validity.from.name)} = ${value(checkpoint)}`;
  const record = sql`${database.datasetId}, ${recordText}`;
  const schemas = [...database.tables.values()].map((one) => one.table);
  const [before] = await readBuilds(session, table.name, 1);
  const sameRecord = isSameRecord(table, current, closed);
  // A removed record has no current version that began with this commit; a replaced record has one.
  const isReplaced = sql`${sameRecord} and ${current}.${identifier(validity.from.name)} = ${value(checkpoint)}`;
  const isGone = sql`${identifier(validity.to.name)} = ${value(checkpoint)}
    and not exists (select 1 from ${current} where ${isReplaced})`;
  const records = (statement: SqlFragment) => () => recordsOf(session.stream(statement));
  return {
    resource: table.name,
    checkpoint: commit.checkpoint,
    previous: before?.id ?? null,
    commit,
    rehearsal: rehearsed?.get(table.name)?.result,
    ...(await digestOf(table)).total(),
    ...reads,
    all: records(sql`select ${record}, case when ${hasBegun} then 1 else 0 end from ${current}`),
    changed: records(sql`select ${record}, 1 from ${current} where ${beginning} = ${value(checkpoint)}`),
    related: (names) => {
      const columns = join(
        names.map((name) => identifier(name)),
        ", ",
      );
      const changed = sql`select ${columns} from ${current} where ${beginning} = ${value(checkpoint)}`;
      return recordsOf(
        session.stream(
          sql`select ${record}, case when ${hasBegun} then 1 else 0 end from ${current} where (${columns}) in (${changed})`,
        ),
      );
    },
    removed: records(sql`select ${record}, 0 from ${closed} where ${isGone}`),
    setChanges: () => setChanges(session, table.name, schemas, commit, digestOf),
  };
}

async function* recordsOf(rows: AsyncIterable<readonly unknown[]>): AsyncGenerator<CandidateRecord> {
  for await (const [datasetId, text, isChanged] of rows)
    yield { datasetId: datasetId as string | null, text: text as string, isChanged: Number(isChanged) === 1 };
}

async function serve(
  { session }: OpenCommit,
  candidate: Candidate,
  { evidence }: GateVerdict,
): Promise<Build> {
  const { resource, checkpoint, previous, records, sha256 } = candidate;
  const published = Date.now();
  const cursors = servedCursors(await readSources(session, resource));
  const state = { resource, checkpoint, previous, records, sha256 };
  const build = { id: createUlid(published), ...state, cursors, evidence, published };
  await addBuild(session, build);
  return build;
}
