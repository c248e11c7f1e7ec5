/** An originating system that `cadastre init` is told of. Without a prefix, it is made of the id. */
export type NewSystem = {
  readonly id: string;
  readonly name: string;
  readonly states: readonly string[];
  readonly prefix?: string;
};

/** Description of a valid system, to follow "must be". */
export const systemForm =
  "`<id>:<name>:<states>` or `<id>:<name>:<states>:<prefix>`, such as `mymls:My MLS:TX,OK:MML_`";

/** Parses `mymls:My MLS:TX,OK:MML_`. Returns undefined for any other form. */
export function parseSystem(text: string): NewSystem | undefined {
  const [, id = "", name = "", states = "", prefix] =
    /^([a-z][a-z0-9-]*):([^:]+):([A-Z]{2}(?:, ?[A-Z]{2})*)(?::([A-Z][A-Z0-9]*_))?$/.exec(text.trim()) ?? [];
  if (id === "") return undefined;
  return {
    id,
    name: name.trim(),
    states: states.split(/, ?/),
    ...(prefix === undefined ? {} : { prefix }),
  };
}
