import type { CompiledSql } from "@cadastre/odata";
import { StoreError } from "../../errors.ts";
import {
  type ChangesStatements,
  type FoundMoments,
  momentOf,
  statementForKeys,
} from "../../read/changes-request.ts";
import {
  comparedKeys,
  type EndedVersion,
  type KeyedVersion,
  mergeChanges,
} from "../../read/merge-changes.ts";
import { RecordAssembler } from "../../record/assemble.ts";
import { computedText } from "../../record/computed.ts";
import { requireUndamaged } from "../../record/record-checksum.ts";
import type { ChangedPage } from "../../store.ts";
import type { Query, TextRow } from "../connection/round-trip.ts";
import { postgresMoments } from "../layout/bookkeeping.ts";
import { leadingColumns, readComputedValue, readGarbage, recordLayoutOf, releaseOf } from "./page-rows.ts";
import type { Run } from "./reading-place.ts";

/**
 * Reads the changes between two commits in one snapshot.
 *
 * @throws {StoreError} `bookmark_expired`, `record_damaged`; `replica_behind` if the database has not replayed the commits that the read
 * depends on
 */
export async function readPostgresChanges(run: Run, request: ChangesStatements): Promise<ChangedPage> {
  const { since, until, top, plan, elsewhere } = request;
  let found: FoundMoments | undefined;
  const ended: EndedVersion[] = [];
  const [began, were]: [KeyedVersion[], KeyedVersion[]] = [[], []];
  const versionsInto = (versions: KeyedVersion[], statement: CompiledSql): Query => ({
    ...statement,
    onRow: (fields) => versions.push(versionOf(fields, request)),
  });
  const moments: Query = {
    ...postgresMoments(since, until),
    onRow: (fields) => {
      found = momentsOf(fields);
    },
  };
  const ends: Query = { ...request.ended, onRow: (fields) => ended.push(endOf(fields)) };
  await run([moments, ends, versionsInto(began, request.began)], elsewhere !== undefined);
  if (found === undefined) throw new RangeError("the last commit was not read");
  if (found.last.checkpoint < Math.max(since.checkpoint, until?.checkpoint ?? 0))
    throw new StoreError("replica_behind");
  const moment = momentOf(request, found);
  const changes = {
    ended: { versions: ended, isCut: ended.length > top },
    began: { versions: began, isCut: began.length > top },
    until: until?.checkpoint,
  };
  const compared = comparedKeys(changes);
  // A later snapshot has the same closed versions, unless they were pruned.
  if (compared.length > 0)
    await run([versionsInto(were, statementForKeys(request.were, compared))], elsewhere !== undefined);
  const assembler = new RecordAssembler(recordLayoutOf(plan.plan), false);
  const { removed, ...merged } = mergeChanges(changes, were, top, assembler);
  const shown = new Set<string | null | undefined>();
  if (elsewhere !== undefined && removed.length > 0)
    await run([{ ...statementForKeys(elsewhere, removed), onRow: ([key]) => shown.add(key) }]);
  const records = assembler.finish();
  readGarbage.add([...began, ...were].reduce((sum, { text }) => sum + text.length, 0));
  return {
    ...merged,
    records,
    release: releaseOf(records),
    removed: removed.map((key) => ({ key, isElsewhere: shown.has(key) })),
    until: moment,
  };
}

const endOf = ([key, other = null]: TextRow): EndedVersion => ({
  key: key ?? "",
  other: other === null ? undefined : Number(other),
});

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
