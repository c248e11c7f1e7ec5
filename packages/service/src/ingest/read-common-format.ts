import type { EntitySet } from "@cadastre/odata";
import { duplicateEntry, type Entry, entryOf, type FileContent } from "./entry.ts";
import { duplicateMember, parseJson } from "./exact-json.ts";
import { IngestError } from "./ingest-error.ts";
import { parsedEntry } from "./json-entry.ts";
import { JsonValues, ValueTooLong } from "./json-values.ts";
import { maxLine } from "./read-lines.ts";

const contextName = "@reso.context";
const contextForm = /^urn:reso:metadata:\d+(?:\.\d+)*:resource:(\w+)$/i;

/**
 * Reads a document as a stream. Yields the records of its list `value`, or else the document itself as a single record. The position of a
 * record stands for its line. Annotations, whose names have an `@`, are left out. Source: RESO Common Format (RCP-25).
 *
 * @throws {IngestError} if the content is not such a document, or one of another resource
 */
export async function* readCommonFormat(content: FileContent, { name }: EntitySet): AsyncGenerator<Entry> {
  const document = new DocumentReader(content);
  try {
    await document.begin();
    const head = new DocumentHead(name);
    let isList = false;
    for await (const member of document.members()) {
      if (member !== "value") {
        const { text, value } = await document.value();
        if (!isList) head.add(member, text, value);
        continue;
      }
      if (isList) throw new IngestError("the document has two lists `value`: leave one of them out");
      head.requireResource();
      isList = true;
      for await (const { text, value } of document.items()) yield parsedEntry(document.records, text, value);
    }
    await document.end();
    if (!isList) yield head.entry();
  } finally {
    await document.close();
  }
}

/** Members of the document before its list, or of the only record. */
class DocumentHead {
  readonly #resource: string;
  readonly #members = new Map<string, unknown>();
  #duplicate: string | undefined;
  #length = 0;

  constructor(resource: string) {
    this.#resource = resource;
  }

  /** @throws {IngestError} if the members are longer than a record may be */
  add(name: string, text: string, value: unknown): void {
    this.#length += name.length + text.length;
    if (this.#length > maxLine) throw tooLong(1);
    if (this.#members.has(name)) this.#duplicate ??= name;
    this.#duplicate ??= duplicateIn(text, value);
    this.#members.set(name, value);
  }

  /** @throws {IngestError} */
  requireResource(): void {
    const context = this.#members.get(contextName);
    if (typeof context !== "string") throw notTheFormat();
    const [, resource = ""] = contextForm.exec(context) ?? [];
    if (resource.toLowerCase() !== this.#resource.toLowerCase())
      throw new IngestError(
        `the document's \`${contextName}\` does not name ${this.#resource}: see --resource`,
      );
  }

  /** Returns the entry of a document that is a record itself. */
  entry(): Entry {
    this.requireResource();
    return this.#duplicate === undefined
      ? entryOf(1, Object.fromEntries(this.#members))
      : duplicateEntry(1, this.#duplicate);
  }
}

/** @throws {IngestError} if the value is nested too deeply */
function duplicateIn(text: string, value: unknown): string | undefined {
  try {
    return duplicateMember(text, value);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new IngestError(`a member of the document is ${cause.message}`);
    throw cause;
  }
}

type ParsedValue = { readonly text: string; readonly value: unknown };

const [comma, colon] = [0x2c, 0x3a];
const [openArray, closeArray] = [0x5b, 0x5d];
const [openObject, closeObject] = [0x7b, 0x7d];

/** Reads a document that is one JSON object. It accepts what `JSON.parse` accepts. */
class DocumentReader {
  readonly #values: JsonValues;
  /** Number of records that were read. */
  records = 0;

  constructor(content: FileContent) {
    this.#values = new JsonValues(content, maxLine);
  }

  close(): Promise<void> {
    return this.#values.close();
  }

  async begin(): Promise<void> {
    await this.#values.skipMark();
    const first = await this.#values.peek();
    if (first === openObject) return;
    throw first !== undefined && beginsOtherValue.test(String.fromCharCode(first))
      ? notTheFormat()
      : this.#malformed();
  }

  /** Yields the names of the members. The caller reads the value of each before the next. */
  async *members(): AsyncGenerator<string> {
    for await (const _ of this.#parts(closeObject)) {
      const { value } = await this.value();
      if (typeof value !== "string" || (await this.#values.peek()) !== colon) throw this.#malformed();
      this.#values.skip();
      yield value;
    }
  }

  /** Yields the items of a list, each of which is a record. */
  async *items(): AsyncGenerator<ParsedValue> {
    const first = await this.#values.peek();
    if (first !== openArray) throw first === undefined ? this.#malformed() : notTheFormat();
    for await (const _ of this.#parts(closeArray)) {
      const item = await this.value();
      this.records++;
      yield item;
    }
  }

  /** Reads a value. */
  async value(): Promise<ParsedValue> {
    await this.#values.peek();
    const text = await this.#values.take().catch((cause: unknown) => {
      throw cause instanceof ValueTooLong ? tooLong(this.records + 1) : cause;
    });
    const value = text === undefined ? undefined : parseJson(text);
    if (text === undefined || value === undefined) throw this.#malformed();
    return { text, value };
  }

  /** Requires the end of the document. */
  async end(): Promise<void> {
    if ((await this.#values.peek()) !== undefined) throw this.#malformed();
  }

  /** Yields before each part of a list or object, between its brackets and commas. */
  async *#parts(close: number): AsyncGenerator<void> {
    this.#values.skip();
    if ((await this.#values.peek()) === close) {
      this.#values.skip();
      return;
    }
    for (;;) {
      yield;
      const next = await this.#values.peek();
      if (next !== comma && next !== close) throw this.#malformed();
      this.#values.skip();
      if (next === close) return;
    }
  }

  #malformed(): IngestError {
    return new IngestError(
      `the document is no JSON behind record ${this.records}, at byte ${this.#values.position + 1}`,
    );
  }
}

/** First characters of JSON values other than an object. */
const beginsOtherValue = /[["\dtfn-]/;

const tooLong = (record: number): IngestError =>
  new IngestError(`record ${record} is longer than ${maxLine} bytes`);

const notTheFormat = (): IngestError =>
  new IngestError(
    `RESO Common Format is one JSON object: a record, or a list \`value\`, behind its \`${contextName}\``,
  );
