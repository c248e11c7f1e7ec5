import { functionTable } from "../functions/table.ts";
import type { PrimitiveType, StructuralProperty, StructuredType } from "../model/types.ts";
import { operatorAt } from "../syntax/operators.ts";
import { filterTokens, isOpenString, type Token } from "./filter-tokens.ts";

/** What an expression yields, as far as its text says it before it is complete. */
export type FilterOperand = {
  /** Undefined if it is not known. */
  readonly type: PrimitiveType | StructuredType | undefined;
  readonly collection: boolean;
  /** The property that the expression names, if it is no more than that. */
  readonly property?: StructuralProperty;
};

/** What may stand at a position of a filter, and what is typed of it already. */
export type FilterPosition = {
  /**
   * - `operand`: a property, a function or a literal
   * - `member`: a member of `instance`, after a slash
   * - `operator`: an operator, after `operand`
   * - `text`: the text of a string, between its apostrophes
   * - `option`: an option of `$count`, such as `$filter`
   * - `name`: a new name, which only the user knows
   */
  readonly expects: "operand" | "member" | "operator" | "text" | "option" | "name";
  /** Start of what is typed already. */
  readonly from: number;
  /** Text from there up to the position. */
  readonly typed: string;
  /** The entity, or what the path before the slash yields. */
  readonly instance: FilterOperand;
  /** Range variables of the lambda expressions around the position, by name. */
  readonly variables: ReadonlyMap<string, FilterOperand>;
  /** The expression before an operator that is expected. */
  readonly operand: FilterOperand | undefined;
  /** The expression that a value at the position is compared with. */
  readonly compared: FilterOperand | undefined;
  /** True if what stands before an operator that is expected is a condition already. */
  readonly isCondition: boolean;
};

/** Parentheses that are open, or the whole filter. */
type Frame = {
  readonly opener: "group" | "call" | "lambda" | "count" | "filtered";
  /** Path before the parentheses. */
  readonly path: string;
  /** Value whose members bare names are: the entity, or an item of the collection that is counted. */
  readonly instance: FilterOperand;
  /** Items of the collection before the parentheses. */
  readonly items: FilterOperand;
  /** False until the range variable, or the option of `$count`, is named. */
  isNamed: boolean;
  variables: ReadonlyMap<string, FilterOperand>;
  /** The last complete operand. Undefined if an operand is expected. */
  operand: FilterOperand | undefined;
  compared: FilterOperand | undefined;
  /** True after an arithmetic operator: the types of both sides decide about that of the result. */
  isComputed: boolean;
  isCondition: boolean;
};

const boolean: FilterOperand = { type: "Edm.Boolean", collection: false };
const count: FilterOperand = { type: "Edm.Int64", collection: false };
const unknown: FilterOperand = { type: undefined, collection: false };
const string: FilterOperand = { type: "Edm.String", collection: false };

/** Returns what may stand at the end of `before`, the text of a filter up to the cursor. Total: faulty text is read as well as it can be. */
export function filterPosition(before: string, type: StructuredType): FilterPosition {
  const tokens = filterTokens(before);
  const last = tokens.at(-1);
  const isTyping =
    last !== undefined && last.end === before.length && (last.kind === "path" || isOpenString(last));
  const open = isTyping ? last : undefined;
  const reader = new PositionReader({ type, collection: false });
  for (const [i, token] of tokens.entries()) if (token !== open) reader.read(token, tokens[i + 1]);
  return reader.positionAt(open, before);
}

class PositionReader {
  readonly #entity: FilterOperand;
  readonly #frames: Frame[];

  constructor(entity: FilterOperand) {
    this.#entity = entity;
    this.#frames = [frameOf({ opener: "group", instance: entity, variables: new Map() })];
  }

  get #frame(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  read(token: Token, next: Token | undefined): void {
    const frame = this.#frame;
    if (token.kind === "open") this.#open();
    else if (token.kind === "close") this.#close();
    else if (token.kind === "comma" || token.kind === "colon") {
      // The arguments of `contains(City,'Austin')` are of one kind, as a property and its value are; so are the items of a list.
      const compared = frame.opener === "call" ? frame.operand : frame.compared;
      Object.assign(frame, { compared, operand: undefined, isComputed: false, isCondition: false });
    } else if (token.kind === "path") this.#readPath(token, next);
    else if (token.kind === "string") complete(frame, /^['"]/.test(token.text) ? string : unknown);
    else if (token.kind === "number" || token.kind === "alias") complete(frame, unknown);
  }

  #readPath({ text: path }: Token, next: Token | undefined): void {
    const frame = this.#frame;
    if (frame.operand !== undefined) {
      readOperator(path, frame);
    } else if (!frame.isNamed) {
      frame.isNamed = true;
      if (frame.opener === "lambda") frame.variables = new Map([...frame.variables, [path, frame.items]]);
    } else if (next?.kind === "open" || path === "not") this.#called = path;
    else complete(frame, literals[path.toLowerCase()] ?? this.#resolve(path));
  }

  /** The path before parentheses that open next. */
  #called = "";

  #open(): void {
    const path = this.#called === "not" ? "" : this.#called;
    this.#called = "";
    const { variables, instance, compared } = this.#frame;
    const [, collection = "", last = path] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
    const opener = path === "" ? "group" : (openers[last] ?? "call");
    const items = { ...this.#resolve(collection), collection: false };
    const frame = frameOf({
      opener,
      path,
      variables,
      items,
      instance: opener === "count" || opener === "filtered" ? items : instance,
    });
    frame.isNamed = opener !== "lambda" && opener !== "count";
    // The values of a list after `in` are compared with what stands before it.
    if (opener === "group") frame.compared = compared;
    this.#frames.push(frame);
  }

  #close(): void {
    const closed = this.#frames.length > 1 ? this.#frames.pop() : undefined;
    if (closed !== undefined) complete(this.#frame, resultOf(closed));
  }

  /** Returns what a path names. */
  #resolve(path: string): FilterOperand {
    const [first = "", ...rest] = path.split("/");
    const { instance, variables } = this.#frame;
    const starts: Readonly<Record<string, FilterOperand>> = { $it: this.#entity, $this: instance };
    return rest.reduce(memberOf, starts[first] ?? variables.get(first) ?? memberOf(instance, first));
  }

  positionAt(open: Token | undefined, before: string): FilterPosition {
    const { operand, compared, isCondition, isNamed, variables, opener, instance } = this.#frame;
    const typed = open?.text ?? "";
    const from = open?.start ?? before.length;
    const at = { from, typed, variables, compared, instance, operand, isCondition };
    if (open?.kind === "string") {
      const apostrophe = typed.indexOf("'") + 1;
      const value = typed.slice(apostrophe).replaceAll("''", "'");
      return { ...at, expects: "text", from: from + apostrophe, typed: value };
    }
    if (operand !== undefined) return { ...at, expects: "operator" };
    if (!isNamed) return { ...at, expects: opener === "count" ? "option" : "name" };
    const slash = typed.lastIndexOf("/");
    if (slash < 0) return { ...at, expects: "operand" };
    return {
      ...at,
      expects: "member",
      from: from + slash + 1,
      typed: typed.slice(slash + 1),
      instance: this.#resolve(typed.slice(0, slash)),
    };
  }
}

/** Last segments of paths whose parentheses do not hold arguments. */
const openers: Readonly<Record<string, Frame["opener"]>> = {
  any: "lambda",
  all: "lambda",
  $count: "count",
  $filter: "filtered",
};

type FrameStart = Pick<Frame, "opener" | "instance" | "variables"> & Partial<Frame>;

const frameOf = (start: FrameStart): Frame => ({
  path: "",
  items: unknown,
  isNamed: true,
  operand: undefined,
  compared: undefined,
  isComputed: false,
  isCondition: false,
  ...start,
});

function complete(frame: Frame, operand: FilterOperand): void {
  frame.operand = frame.isComputed ? unknown : operand;
}

/** Reads a word after an operand. Any other word than an operator is a fault, which changes nothing. */
function readOperator(word: string, frame: Frame): void {
  const operator = operatorAt(word, 0, word.length);
  if (operator === undefined) return;
  frame.isComputed = operator.builds === "Arithmetic";
  if (operator.builds === "Logical") {
    frame.isCondition = false;
    frame.compared = undefined;
  } else if (!frame.isComputed) {
    frame.isCondition = true;
    frame.compared = frame.operand;
  }
  frame.operand = undefined;
}

const literals: Readonly<Record<string, FilterOperand>> = {
  true: boolean,
  false: boolean,
  null: unknown,
  inf: unknown,
  nan: unknown,
};

/** Returns what closed parentheses yield. */
function resultOf({ opener, path, items, operand, isCondition }: Frame): FilterOperand {
  if (opener === "lambda") return boolean;
  if (opener === "count") return count;
  if (opener === "filtered") return { ...items, collection: true };
  if (opener === "group") return isCondition ? boolean : (operand ?? unknown);
  const [overload] = functionTable.get(path.toLowerCase()) ?? [];
  const returns = overload?.returns;
  return returns === undefined || returns.startsWith("Collection(")
    ? unknown
    : { type: returns as PrimitiveType, collection: false };
}

/** Returns what a name yields inside an expression that a path begins with. */
function memberOf(operand: FilterOperand, name: string): FilterOperand {
  if (name === "$count") return count;
  if (typeof operand.type !== "object") return unknown;
  const property = operand.type.properties.get(name);
  if (property !== undefined) return { type: property.type, collection: property.collection, property };
  const structured = operand.type.structured?.get(name);
  return structured === undefined
    ? unknown
    : { type: structured.target(), collection: structured.collection };
}
