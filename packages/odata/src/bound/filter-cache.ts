import type { EntitySet } from "../model/types.ts";
import { defaultLimits, type Limits, parseFilter } from "../syntax/index.ts";
import { bindFilter } from "./bind.ts";
import { bindLiteral } from "./literal.ts";
import { shapeOf } from "./shape.ts";
import { type Template, templateOf } from "./template.ts";
import type { BoundNode } from "./tree.ts";

export type FilterCacheOptions = {
  /** Shapes kept; the one kept longest leaves first. */
  readonly capacity?: number;
  readonly limits?: Limits;
};

/**
 * A function that parses and binds filters over one entity set, and remembers their shapes: a filter that
 * differs from an earlier one only in its literals is neither parsed nor bound again. The tree is the same.
 *
 * @throws {QueryError} from the returned function, as `parseFilter` and `bindFilter` do.
 */
export function cachedFilterBinder(
  entitySet: EntitySet,
  { capacity = 500, limits = defaultLimits }: FilterCacheOptions = {},
): (text: string) => BoundNode {
  const templates = new Map<string, Template>();
  return (text) => {
    const shape = text.length <= limits.textLength ? shapeOf(text) : undefined;
    if (shape === undefined) return bindFilter(parseFilter(text, limits), entitySet);
    const known = templates.get(shape.key);
    if (known === undefined) {
      const tree = bindFilter(parseFilter(text, limits), entitySet);
      const template = templateOf(tree, shape.literals.map(bindLiteral));
      if (template !== undefined) keep(templates, shape.key, template, capacity);
      return tree;
    }
    const constants = shape.literals.map(bindLiteral);
    const fits = constants.every(({ type }, i) => type === known.types[i]);
    return fits ? known.build(constants) : bindFilter(parseFilter(text, limits), entitySet);
  };
}

function keep(templates: Map<string, Template>, key: string, template: Template, capacity: number): void {
  templates.set(key, template);
  const [oldest] = templates.keys();
  if (templates.size > capacity && oldest !== undefined) templates.delete(oldest);
}
