import { type MemberIndex, readMemberIndex, writeMemberIndex } from "../record/member-index.ts";
import { type Member, numberOfMembers } from "../record/members.ts";

/** Bytes of each member where it is an empty text, with the brace or comma before it, by its number; 0: it is no text. */
export type EmptyTexts = Int32Array;

export function emptyTextsOf(members: ReadonlyMap<string, Member>): EmptyTexts {
  const sizes = new Int32Array(numberOfMembers(members));
  for (const { ordinal, label, property } of members.values())
    if (property.type === "Edm.String" && !property.collection)
      sizes[ordinal] = 1 + Buffer.byteLength(label) + '""'.length;
  return sizes;
}

/** How many records there are, and how many of them have a value of each member, by its number. */
export class Population {
  records = 0;
  readonly populated: Int32Array;

  constructor(members: number) {
    this.populated = new Int32Array(members);
  }

  /** Count a record, or with -1 take it back. A record's text has no member that is null or an empty collection. */
  count(record: MemberIndex, empty: EmptyTexts, weight: 1 | -1): void {
    const { populated } = this;
    this.records += weight;
    readMemberIndex(record, (ordinal, size) => {
      if (size !== empty[ordinal]) populated[ordinal] = (populated[ordinal] ?? 0) + weight;
    });
  }

  /** Add a population of so many records. */
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

/** The members that some records have a value of, each with their number: written as a {@link MemberIndex}. */
export type PopulationText = string;
