import { pipeline } from "node:stream";
import type { EntitySet } from "@cadastre/odata";
import { Assembler } from "stream-json/assembler.js";
import { parser, type Token } from "stream-json/parser.js";
import { duplicateEntry, type Entry, entryOf, type FileContent } from "./entry.ts";
import { numberOf } from "./exact-json.ts";
import { IngestError } from "./ingest-error.ts";
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
  const head: Record<string, unknown> = {};
  const assembler = new ExactAssembler();
  let member: string | undefined;
  let duplicateInHead: string | undefined;
  let [isList, line] = [false, 0];
  try {
    for await (const token of tokensOf(content, () => line)) {
      if (member === undefined) {
        if (token.name === "keyValue") member = token.value;
        else if (token.name !== "startObject" && token.name !== "endObject") throw notTheFormat();
        continue;
      }
      if (member === "value" && !isList) {
        requireResource(head, name);
        if (token.name !== "startArray") throw notTheFormat();
        isList = true;
        // Discards a duplicate in the members before the list: they do not belong to a record.
        assembler.takeDuplicate();
        continue;
      }
      if (member === "value" && token.name === "endArray" && assembler.done) {
        member = undefined;
        continue;
      }
      if (!assembler.consume(token).done) continue;
      if (member === "value") {
        const duplicate = assembler.takeDuplicate();
        line++;
        yield duplicate === undefined ? entryOf(line, assembler.current) : duplicateEntry(line, duplicate);
      } else {
        if (Object.hasOwn(head, member)) duplicateInHead ??= member;
        head[member] = assembler.current;
        member = undefined;
      }
    }
  } catch (cause) {
    if (!isParseError(cause)) throw cause;
    throw new IngestError(`the document is no JSON behind record ${line}`, { cause });
  }
  if (isList) return;
  requireResource(head, name);
  const duplicate = duplicateInHead ?? assembler.takeDuplicate();
  yield duplicate === undefined ? entryOf(1, head) : duplicateEntry(1, duplicate);
}

const tokensOf = (content: FileContent, records: () => number): AsyncIterable<Token> =>
  pipeline(bounded(content, records), parser.asStream({ streamValues: false }), () => {});

/** @throws {IngestError} if a record is longer than `maxLine`, which could exhaust the memory */
async function* bounded(content: FileContent, records: () => number): AsyncGenerator<Uint8Array> {
  let [held, at] = [0, 0];
  for await (const chunk of content) {
    held = chunk.length + (records() === at ? held : 0);
    at = records();
    if (held > maxLine) throw new IngestError(`record ${at + 1} is longer than ${maxLine} bytes`);
    yield chunk;
  }
}

/** An assembler that keeps all digits of numbers that a double cannot hold, and notices repeated members of an object. */
class ExactAssembler extends Assembler {
  #duplicate: string | undefined;

  /** Returns the first name that has occurred twice in one object since the last call. */
  takeDuplicate(): string | undefined {
    const duplicate = this.#duplicate;
    this.#duplicate = undefined;
    return duplicate;
  }

  override keyValue(name: string): void {
    if (Object.hasOwn(this.current as object, name)) this.#duplicate ??= name;
    super.keyValue(name);
  }

  override numberValue(text: string): void {
    saveValue(this, numberOf(text));
  }
}

/** Stores any value, by the assembler's method for strings, which stores its argument unchanged. */
const saveValue = (assembler: { stringValue(value: unknown): void }, value: unknown): void =>
  assembler.stringValue(value);

/** True for a syntax error of the parser. Errors of files and streams have a code. */
const isParseError = (cause: unknown): boolean =>
  cause instanceof Error && !(cause instanceof IngestError) && !("code" in cause);

/** @throws {IngestError} */
function requireResource(head: Readonly<Record<string, unknown>>, name: string): void {
  const context = head[contextName];
  if (typeof context !== "string") throw notTheFormat();
  const [, resource = ""] = contextForm.exec(context) ?? [];
  if (resource.toLowerCase() !== name.toLowerCase())
    throw new IngestError(`the document's \`${contextName}\` does not name ${name}: see --resource`);
}

const notTheFormat = (): IngestError =>
  new IngestError(
    `RESO Common Format is one JSON object: a record, or a list \`value\`, behind its \`${contextName}\``,
  );
