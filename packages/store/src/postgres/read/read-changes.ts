import type { CompiledSql } from "@cadastre/odata";
import { StoreError } from "../../errors.ts";
import {
  type ChangesStatements,
  type FoundMoments,
  momentOf,
  statementForKey,
} from "../../read/changes-request.ts";
import { type KeyedVersion, mergeChanges } from "../../read/merge-changes.ts";
import { RecordAssembler, requireUndamaged } from "../../record/assemble.ts";
import { computedText } from "../../record/computed.ts";
import type { ChangedPage } from "../../store.ts";
import type { Query, TextRow } from "../connection/round-trip.ts";
import { postgresMoments } from "../layout/bookkeeping.ts";
import { leadingColumns, readComputedValue, recordLayoutOf, releaseOf } from "./page-rows.ts";
import type { Run } from "./reading-place.ts";

/**
 * Reads the changes between two commits in one snapshot.
 *
 * @throws {StoreError} `bookmark_expired`, `record_damaged`; `replica_behind` if the database has not replayed the commits that the read
 * depends on
 */
export async function readPostgresChanges(run: Run, request: ChangesStatements): Promise<ChangedPage> {
  const { ended, began, since, until, top, plan, elsewhere } = request;
  let found: FoundMoments | undefined;
  const [were, are]: [KeyedVersion[], KeyedVersion[]] = [[], []];
  const rowsInto = (rows: KeyedVersion[], statement: CompiledSql): Query => ({
    ...statement,
    onRow: (fields) => rows.push(versionOf(fields, request)),
  });
  const moments: Query = {
    ...postgresMoments(since, until),
    onRow: (fields) => {
      found = momentsOf(fields);
    },
  };
  await run([moments, rowsInto(were, ended), rowsInto(are, began)], elsewhere !== undefined);
  if (found === undefined) throw new RangeError("the last commit was not read");
  if (found.last.checkpoint < Math.max(since.checkpoint, until?.checkpoint ?? 0))
    throw new StoreError("replica_behind");
  const moment = momentOf(request, found);
  const assembler = new RecordAssembler(recordLayoutOf(plan.plan), false);
  const [first, second] = [were, are].map((versions) => ({ versions, isCut: versions.length > top }));
  if (first === undefined || second === undefined) throw new RangeError("two states are merged");
  const { removed, ...merged } = mergeChanges(first, second, top, assembler);
  const shown = elsewhere === undefined ? new Set<string>() : await foundKeys(run, removed, elsewhere);
  const records = assembler.finish();
  return {
    ...merged,
    records,
    release: releaseOf(records),
    removed: removed.map((key) => ({ key, isElsewhere: shown.has(key) })),
    until: moment,
  };
}

/** Returns those of some keys that a statement finds. */
async function foundKeys(
  run: Run,
  keys: readonly string[],
  statement: CompiledSql,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const queries = keys.map(
    (key): Query => ({ ...statementForKey(statement, key), onRow: () => found.add(key) }),
  );
  if (queries.length > 0) await run(queries);
  return found;
}

const momentsOf = ([earliest, since, until, last, time]: TextRow): FoundMoments => ({
  earliest: Number(earliest ?? 0),
  since: timeOf(since),
  until: timeOf(until),
  last: { checkpoint: Number(last ?? 0), time: timeOf(time) ?? 0 },
});

const timeOf = (time: string | null | undefined): number | undefined =>
  time === null || time === undefined ? undefined : Number(time);

function versionOf(fields: TextRow, { computed, plan }: ChangesStatements): KeyedVersion {
  const [dataset = null, record, members, checksum, key] = fields;
  const text = Buffer.from(record ?? "");
  requireUndamaged(dataset, text, members ?? "", checksum, () => [key]);
  return {
    key: key ?? "",
    text,
    members: members ?? "",
    dataset,
    computed:
      computed.length === 0
        ? ""
        : computedText(computed, fields.slice(leadingColumns + 1), readComputedValue, plan.plan.nulls),
  };
}
