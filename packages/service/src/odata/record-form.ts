import { setImmediate } from "node:timers/promises";
import type { EntityType, PrimitiveType } from "@cadastre/odata";
import type { JsonFormat } from "./format.ts";
import { withoutExponent } from "./numeral.ts";
import { type RecordMember, type RecordText, readRecords } from "./record-members.ts";

/** How records are written where the stored bytes are not the answer. */
export type RecordForm = {
  readonly format: JsonFormat;
  readonly type: EntityType;
  /** Qualified name of the type. */
  readonly typeName: string;
  /** Absolute address of the collection. */
  readonly resource: string;
  /** Whether a member is part of the answer: the key is read for the links, selected or not. */
  readonly isShown: (name: string) => boolean;
  /** The ETag of an entity, by the text of its record. */
  readonly tagOf: (record: string) => string;
};

/** Records in the form; without a change where `minimal` and numbers as they are do. */
export const isAsStored = ({ metadata, ieee754 }: JsonFormat): boolean => metadata !== "full" && !ieee754;

/** Records between which other requests get their turn. */
const recordsAtOnce = 32;

/** Write `records`, JSON text with commas between, in another form. Source: OData JSON Format 4.01, sections 3 and 4.5. */
export async function writeRecords(records: string, form: RecordForm): Promise<string> {
  const written: string[] = [];
  for (const record of readRecords(records)) {
    if (written.push(writeRecord(record, form)) % recordsAtOnce === 0) await setImmediate();
  }
  return written.join(",");
}

function writeRecord(record: RecordText, form: RecordForm): string {
  const members = record.members
    .filter(({ name }) => form.isShown(name))
    .map((member) => writeMember(member, form));
  const control = form.format.metadata === "full" ? controlInformation(record, form) : [];
  return `{${[...control, ...members].join(",")}}`;
}

/** What a full answer says of an entity. It has no edit link: nothing is changed here. */
function controlInformation({ text, members }: RecordText, form: RecordForm): readonly string[] {
  const { type, typeName, resource, tagOf } = form;
  const key = members.find(({ name }) => name === type.key[0])?.value ?? '""';
  const id = JSON.stringify(`${resource}(${keyLiteral(JSON.parse(key) as string)})`);
  return [
    `"@odata.type":"#${typeName}"`,
    `"@odata.id":${id}`,
    `"@odata.etag":${JSON.stringify(tagOf(text))}`,
    `"@odata.readLink":${id}`,
  ];
}

/** A key as it stands in an address. Every key here is one string. */
export const keyLiteral = (key: string): string => `'${encodeURIComponent(key.replaceAll("'", "''"))}'`;

function writeMember({ name, value }: RecordMember, { format, type }: RecordForm): string {
  const property = type.properties.get(name);
  if (property === undefined) return `"${name}":${value}`;
  const typed = format.metadata === "full" ? typeAnnotation(property, value) : undefined;
  const said = typed === undefined ? "" : `"${name}@odata.type":"${typed}",`;
  return `${said}"${name}":${writeValue(property, value, format)}`;
}

type Shape = { readonly type: PrimitiveType; readonly collection: boolean };

/** Types that a value in JSON tells itself. Source: OData JSON Format 4.01, section 4.5.3. */
const told: ReadonlySet<PrimitiveType> = new Set(["Edm.String", "Edm.Boolean"]);

/** What `@odata.type` says of a value; undefined where it need not be said. */
export function typeAnnotation({ type, collection }: Shape, value: string): string | undefined {
  const name = type.slice("Edm.".length);
  if (collection) return `#Collection(${name})`;
  return told.has(type) || value === "null" ? undefined : `#${name}`;
}

/** Types whose numbers a double may not hold. Source: OData JSON Format 4.01, section 3.2. */
const exact: ReadonlySet<PrimitiveType> = new Set(["Edm.Int64", "Edm.Decimal"]);

/** A number that stands alone or in an array. */
const numeral = /(?<=^|[[,])-?\d[^,\]]*/g;

/** JSON text of a value in the format. */
export const writeValue = ({ type }: Shape, value: string, { ieee754 }: JsonFormat): string =>
  ieee754 && exact.has(type) ? value.replace(numeral, (found) => `"${withoutExponent(found)}"`) : value;
