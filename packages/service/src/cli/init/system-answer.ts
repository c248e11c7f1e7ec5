/** An originating system that `cadastre init` is told of. */
export type NewSystem = { readonly id: string; readonly name: string; readonly states: readonly string[] };

/** Description of a valid system, to follow "must be". */
export const systemForm = "`<id>:<name>:<states>`, such as `mymls:My MLS:TX,OK`";

/** Parses `mymls:My MLS:TX,OK`. Returns undefined for any other form. */
export function parseSystem(text: string): NewSystem | undefined {
  const [, id = "", name = "", states = ""] =
    /^([a-z][a-z0-9-]*):([^:]+):([A-Z]{2}(?:, ?[A-Z]{2})*)$/.exec(text.trim()) ?? [];
  return id === "" ? undefined : { id, name: name.trim(), states: states.split(/, ?/) };
}
