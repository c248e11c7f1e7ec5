import { StreamLanguage, type StringStream } from "@codemirror/language";
import { functionTable } from "../functions/table.ts";
import { operatorAt } from "../syntax/operators.ts";
import { type TokenKind, tokenAt } from "./filter-tokens.ts";

/** Names of highlighting tags by kind of token. Paths are told apart below. */
const tags: Readonly<Record<TokenKind, string | null>> = {
  path: "propertyName",
  string: "string",
  number: "number",
  open: "paren",
  close: "paren",
  comma: "separator",
  colon: "separator",
  alias: "variableName.special",
  other: "invalid",
};

const constants = new Set(["true", "false", "null", "INF", "NaN"]);

/** Returns the tag of a path: a name may be an operator, a constant or a function. */
function tagOfPath(path: string, isCalled: boolean): string {
  const method = path.slice(path.lastIndexOf("/") + 1);
  if (isCalled && path !== "not")
    return functionTable.has(path.toLowerCase()) || ["any", "all", "case", "cast", "isof"].includes(method)
      ? "variableName.function"
      : "variableName";
  if (path === "not" || operatorAt(path, 0, path.length) !== undefined) return "operatorKeyword";
  return constants.has(path) ? "atom" : "propertyName";
}

/** The language of `$filter`, for highlighting. */
export const filterLanguage: StreamLanguage<unknown> = StreamLanguage.define({
  name: "odata-filter",
  token(stream: StringStream): string | null {
    if (stream.eatSpace()) return null;
    const token = tokenAt(stream.string, stream.pos);
    stream.pos = token.end;
    return token.kind === "path"
      ? tagOfPath(token.text, stream.string.charAt(stream.pos) === "(")
      : tags[token.kind];
  },
  languageData: { closeBrackets: { brackets: ["(", "'", "["] } },
});
