import type { CompiledSql } from "@cadastre/odata";
import type { AllocateBuffer } from "@cadastre/odata/run";
import { readValue } from "@cadastre/odata/sqlite";
import { type ChangesStatements, momentOf, statementForKeys } from "../../read/changes-request.ts";
import {
  comparedKeys,
  type EndedVersion,
  type KeyedVersion,
  mergeChanges,
} from "../../read/merge-changes.ts";
import type { RecordLayout } from "../../record/assemble.ts";
import { computedText } from "../../record/computed.ts";
import type { SeenPlanRef } from "../../record/plan.ts";
import { requireUndamaged } from "../../record/record-checksum.ts";
import type { ChangedPage } from "../../store.ts";
import { sqliteMoments } from "../layout/bookkeeping.ts";
import { type AssemblyMemory, beforeKey, inForm, type RecordRow } from "./record-row.ts";

/** Answer of a connection to a read of changes. */
type Answers = {
  readonly all: (statement: CompiledSql) => readonly (readonly unknown[])[];
  readonly first: (statement: CompiledSql) => readonly unknown[] | undefined;
  readonly datasetOf: (id: bigint | null) => string | null;
};

/** Reads the changes between two commits. @throws {StoreError} `bookmark_expired`, `record_damaged` */
export function readSqliteChanges(
  request: ChangesStatements<SeenPlanRef>,
  layout: RecordLayout,
  answers: Answers,
  assembly: AssemblyMemory,
  memory: AllocateBuffer,
): ChangedPage {
  const { elsewhere, since, until, form, top } = request;
  const [earliest, atSince, atUntil, last, lastTime] = answers.first(sqliteMoments(since, until)) ?? [];
  const moment = momentOf(request, {
    earliest: Number(earliest ?? 0),
    since: timeOf(atSince),
    until: timeOf(atUntil),
    last: { checkpoint: Number(last ?? 0), time: timeOf(lastTime) ?? 0 },
  });
  const versions = (statement: CompiledSql) =>
    answers.all(statement).map((row) => versionOf(row as RecordRow, request, layout, answers));
  const ended = answers.all(request.ended).map(endOf);
  const began = versions(request.began);
  const changes = {
    ended: { versions: ended, isCut: ended.length > top },
    began: { versions: began, isCut: began.length > top },
    until: until?.checkpoint,
  };
  const compared = comparedKeys(changes);
  const were = compared.length === 0 ? [] : versions(statementForKeys(request.were, compared));
  const sizes = began.map(({ text, computed }) => text.length + 3 * computed.length);
  const assembler = assembly.assembler(layout, false, sizes, memory);
  const { removed, ...merged } = mergeChanges(changes, were, top, assembler);
  const shown = new Set(
    elsewhere === undefined || removed.length === 0
      ? []
      : answers.all(statementForKeys(elsewhere, removed)).map(([key]) => String(key)),
  );
  return {
    ...merged,
    records: inForm(assembler.finish(), form, memory),
    removed: removed.map((key) => ({ key, isElsewhere: shown.has(key) })),
    until: moment,
  };
}

const endOf = ([key, other]: readonly unknown[]): EndedVersion => ({
  key: String(key),
  other: other === null ? undefined : Number(other),
});

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
