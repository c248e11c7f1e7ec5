import { type MemberIndex, readMemberIndex, writeMemberIndex } from "../record/member-index.ts";
import { type Member, numberOfMembers } from "../record/members.ts";

/**
 * Size in bytes of each member when its text is empty, including the brace or comma before it, by member ordinal; 0 for a member
 * that is not a text.
 */
export type EmptyTexts = Int32Array;

export function emptyTextsOf(members: ReadonlyMap<string, Member>): EmptyTexts {
  const sizes = new Int32Array(numberOfMembers(members));
  for (const { ordinal, label, property } of members.values())
    if (property.type === "Edm.String" && !property.collection)
      sizes[ordinal] = 1 + Buffer.byteLength(label) + '""'.length;
  return sizes;
}

/** Number of records, and by member ordinal the number of records with a value of that member. */
export class Population {
  records = 0;
  readonly populated: Int32Array;

  constructor(members: number) {
    this.populated = new Int32Array(members);
  }

  /** Adds a record, or removes it with weight -1. The text of a record has no members that are null or empty collections. */
  count(record: MemberIndex, empty: EmptyTexts, weight: 1 | -1): void {
    const { populated } = this;
    this.records += weight;
    readMemberIndex(record, (ordinal, size) => {
      if (size !== empty[ordinal]) populated[ordinal] = (populated[ordinal] ?? 0) + weight;
    });
  }

  /** Adds the counts of another population. */
  add(records: number, populated: PopulationText): void {
    this.records += records;
    readMemberIndex(populated, (ordinal, count) => {
      this.populated[ordinal] = (this.populated[ordinal] ?? 0) + count;
    });
  }

  text(): PopulationText {
    const ordinals: number[] = [];
    const counts: number[] = [];
    for (const [ordinal, count] of this.populated.entries()) {
      if (count === 0) continue;
      ordinals.push(ordinal);
      counts.push(count);
    }
    return writeMemberIndex(ordinals, counts);
  }
}

/** Number of records with a value, for each member that has any, encoded as a {@link MemberIndex}. */
export type PopulationText = string;
