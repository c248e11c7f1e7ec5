import type { CompiledSql } from "@cadastre/odata";
import type { AllocateBuffer } from "@cadastre/odata/run";
import { readValue } from "@cadastre/odata/sqlite";
import { type ChangesStatements, momentOf, statementForKey } from "../../read/changes-request.ts";
import { type KeyedVersion, mergeChanges, type ReadVersions } from "../../read/merge-changes.ts";
import { RecordAssembler, type RecordLayout, requireUndamaged } from "../../record/assemble.ts";
import { computedText } from "../../record/computed.ts";
import type { SeenPlanRef } from "../../record/plan.ts";
import type { ChangedPage } from "../../store.ts";
import { sqliteMoments } from "../layout/bookkeeping.ts";
import { beforeKey, inForm, type RecordRow } from "./record-row.ts";

/** Answer of a connection to a read of changes. */
type Answers = {
  readonly all: (statement: CompiledSql) => readonly RecordRow[];
  readonly first: (statement: CompiledSql) => readonly unknown[] | undefined;
  readonly datasetOf: (id: bigint | null) => string | null;
};

/** Reads the changes between two commits. @throws {StoreError} `bookmark_expired`, `record_damaged` */
export function readSqliteChanges(
  request: ChangesStatements<SeenPlanRef>,
  layout: RecordLayout,
  answers: Answers,
  memory: AllocateBuffer,
): ChangedPage {
  const { ended, began, elsewhere, since, until, form, top } = request;
  const [earliest, atSince, atUntil, last, lastTime] = answers.first(sqliteMoments(since, until)) ?? [];
  const moment = momentOf(request, {
    earliest: Number(earliest ?? 0),
    since: timeOf(atSince),
    until: timeOf(atUntil),
    last: { checkpoint: Number(last ?? 0), time: timeOf(lastTime) ?? 0 },
  });
  const [were, are] = [ended, began].map((statement): ReadVersions => {
    const rows = answers.all(statement);
    return {
      versions: rows.map((row) => versionOf(row, request, layout, answers)),
      isCut: rows.length > top,
    };
  }) as [ReadVersions, ReadVersions];
  const sizes = [...were.versions, ...are.versions].map(
    ({ text, computed }) => text.length + 3 * computed.length,
  );
  const longest = Math.max(0, ...sizes);
  const all = sizes.slice(were.versions.length).reduce((sum, size) => sum + size, 0);
  const capacity = RecordAssembler.capacity(layout, are.versions.length + 1, all + longest, longest);
  const assembler = new RecordAssembler(layout, false, memory(capacity));
  const { removed, ...merged } = mergeChanges(were, are, top, assembler);
  return {
    ...merged,
    records: inForm(assembler.finish(), form, memory),
    removed: removed.map((key) => ({
      key,
      isElsewhere: elsewhere !== undefined && answers.first(statementForKey(elsewhere, key)) !== undefined,
    })),
    until: moment,
  };
}

const timeOf = (time: unknown): number | undefined => (time === null ? undefined : Number(time));

function versionOf(
  row: RecordRow,
  { computed }: Pick<ChangesStatements, "computed">,
  { plan }: RecordLayout,
  { datasetOf }: Answers,
): KeyedVersion {
  const [id, text, members, checksum, key] = row;
  const dataset = datasetOf(id);
  requireUndamaged(dataset, text, members, checksum, () => [key]);
  const values = computed.length === 0 ? [] : row.slice(beforeKey + 1);
  return {
    key: String(key),
    text,
    members,
    dataset,
    computed: computed.length === 0 ? "" : computedText(computed, values, readValue, plan.nulls),
  };
}
