import { contentTagger } from "./content-tag.ts";
import { endOfString, endOfValue } from "./json-bytes.ts";
import {
  isExact,
  isQuoted,
  keyInUrl,
  keyPredicate,
  quoteNumbers,
  type RecordControl,
  type RecordForm,
} from "./record-form.ts";

const comma = 0x2c;
const open = 0x7b;
const close = 0x7d;
const letterN = 0x6e;

/** Rewriting rule of a member. */
type Member = {
  /** The annotation to insert: `,"Name@odata.type":"#Type"`. */
  readonly annotation: Buffer | undefined;
  readonly isExact: boolean;
  readonly isHidden: boolean;
  /** Place among the values of the key; -1 for other members. */
  readonly keyPlace: number;
  /** True for a key value that is a text, which URLs have in quotes. */
  readonly isText: boolean;
};

/** A range of source bytes to copy, and the bytes to write before it. */
type CopyRun = { readonly before: Uint8Array | undefined; readonly start: number; readonly end: number };

/** Allocates a buffer of at least `bytes` bytes. */
export type AllocateBuffer = (bytes: number) => Buffer;

const newMemory: AllocateBuffer = (bytes) => Buffer.allocUnsafeSlow(bytes);

/**
 * Rewrites records in another JSON format. The records are JSON text without white space, separated by commas.
 * Source: OData JSON Format 4.01, sections 3 and 4.5. Members are located in the bytes and copied in runs, so that
 * most members, which are null, are never decoded to strings.
 */
export class RecordWriter {
  readonly #source: Buffer;
  readonly #form: RecordForm;
  readonly #members = new Map<string, Member>();
  readonly #control: ((record: Uint8Array, key: readonly string[]) => string) | undefined;
  readonly #hidesKey: boolean;
  readonly #allocate: AllocateBuffer;
  #out: Buffer;
  #length = 0;
  #at = 0;
  #runs: CopyRun[] = [];
  /** Start of the current run, and the bytes to write before it. */
  #start = 0;
  #before: Uint8Array | undefined;
  #inserted = 0;
  /** Values of the key of the current record, as in a URL. */
  #key: string[] = [];

  constructor(records: Uint8Array, form: RecordForm, allocate: AllocateBuffer = newMemory) {
    this.#source = Buffer.from(records.buffer, records.byteOffset, records.byteLength);
    this.#form = form;
    this.#allocate = allocate;
    this.#control = form.control && controlWriter(form.control);
    this.#hidesKey = (form.control?.hidden.length ?? 0) > 0;
    this.#out = allocate(Math.ceil(records.length * (form.control === undefined ? 1.05 : 1.25)) + 16_384);
  }

  /** Writes at most `records` further records. Returns false when all have been written. */
  write(records: number): boolean {
    for (let i = 0; i < records && this.#at < this.#source.length; i++) this.#record();
    return this.#at < this.#source.length;
  }

  /** Writes the remaining records. Returns all records in the new format. */
  finish(): Buffer {
    this.write(Number.POSITIVE_INFINITY);
    return this.#out.subarray(0, this.#length);
  }

  #record(): void {
    const source = this.#source;
    const first = this.#at;
    this.#start = first;
    let at = first;
    // Each member is processed together with the brace or comma before it.
    while (source[at + 1] !== close && source[at] !== close) at = this.#member(at);
    if (source[at] !== close) at++;
    this.#endRun(at === first + 1 ? first : at);
    const control = this.#control?.(source.subarray(first, at + 1), this.#key) ?? "";
    this.#writeRuns(first, control);
    this.#at = at + 2;
  }

  /** Processes the member after the separator at offset `separator`. Returns the offset of the next separator. */
  #member(separator: number): number {
    const source = this.#source;
    const colon = endOfString(source, separator + 1);
    const start = colon + 1;
    const end = endOfValue(source, start);
    const isNull = source[start] === letterN;
    if (isNull && !this.#hidesKey) return end;
    const member = this.#find(source.toString("utf8", separator + 2, colon - 1));
    if (member.keyPlace >= 0 && !isNull)
      this.#key[member.keyPlace] = keyInUrl(source.toString("utf8", start, end), member.isText);
    if (member.isHidden) {
      this.#endRun(separator);
      this.#start = end;
    } else if (!isNull) {
      if (member.annotation !== undefined) this.#insert(separator, member.annotation, separator);
      if (member.isExact)
        this.#insert(start, Buffer.from(quoteNumbers(source.toString("latin1", start, end))), end);
    }
    return end;
  }

  #find(name: string): Member {
    const found = this.#members.get(name) ?? this.#describe(name);
    this.#members.set(name, found);
    return found;
  }

  #describe(name: string): Member {
    const { types, control, ieee754 } = this.#form;
    const type = types[name];
    const keyPlace = control?.keys.indexOf(name) ?? -1;
    return {
      annotation:
        control === undefined || type === undefined
          ? undefined
          : Buffer.from(`,"${name}@odata.type":"${type}"`),
      isExact: ieee754 && type !== undefined && isExact(type),
      keyPlace,
      isText: isQuoted(type),
      isHidden: control?.hidden.includes(name) === true,
    };
  }

  /** Ends the run at `end`, inserts `bytes` after it, and starts the next run at `next`. */
  #insert(end: number, bytes: Uint8Array, next: number): void {
    this.#endRun(end);
    this.#before = bytes;
    this.#inserted += bytes.length;
    this.#start = next;
  }

  #endRun(end: number): void {
    if (end > this.#start || this.#before !== undefined)
      this.#runs.push({ before: this.#before, start: this.#start, end });
    this.#before = undefined;
  }

  #writeRuns(first: number, control: string): void {
    const source = this.#source;
    this.#reserve(3 + control.length * 3 + this.#inserted + this.#lengthOfRuns());
    const out = this.#out;
    let length = this.#length;
    if (length > 0) out[length++] = comma;
    const start = length;
    out[length++] = open;
    length += out.write(control, length);
    const members = control === "" ? start : length;
    length = members;
    // The first member also gets a comma before it; if nothing precedes the comma, the opening brace replaces it.
    const brace = source[first] as number;
    source[first] = comma;
    for (const { before, start: from, end } of this.#runs) {
      if (before !== undefined) {
        out.set(before, length);
        length += before.length;
      }
      length += source.copy(out, length, from, end);
    }
    source[first] = brace;
    if (control === "") {
      out[start] = open;
      if (length === start) length++;
    }
    out[length++] = close;
    this.#length = length;
    this.#runs = [];
    this.#inserted = 0;
    this.#key = [];
  }

  #lengthOfRuns(): number {
    let length = 0;
    for (const { start, end } of this.#runs) length += end - start;
    return length;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#out.length) return;
    const larger = this.#allocate(Math.max(needed, Math.ceil(this.#out.length * 1.5)));
    this.#out.copy(larger, 0, 0, this.#length);
    this.#out = larger;
  }
}

/** Rewrites records in another JSON format, all at once. */
export const writeRecords = (records: Uint8Array, form: RecordForm, allocate?: AllocateBuffer): Buffer =>
  new RecordWriter(records, form, allocate).finish();

function controlWriter({ typeName, resource, tagged, keys, navigation }: RecordControl) {
  const tagOf = contentTagger(...tagged);
  const type = `"@odata.type":${JSON.stringify(`#${typeName}`)}`;
  return (record: Uint8Array, key: readonly string[]): string => {
    const address = resource + keyPredicate(keys, key);
    const id = JSON.stringify(address);
    const tag = JSON.stringify(tagOf(record));
    let links = "";
    for (const name of navigation)
      links += `,"${name}@odata.navigationLink":${JSON.stringify(`${address}/${name}`)}`;
    return `${type},"@odata.id":${id},"@odata.etag":${tag},"@odata.readLink":${id}${links}`;
  };
}
