import type { EntitySet } from "../model/types.ts";
import { defaultLimits, type Limits, parseFilter } from "../syntax/index.ts";
import { bindFilter } from "./bind.ts";
import { bindLiteral } from "./literal.ts";
import { isSameShape, type Shape, shapeOf } from "./shape.ts";
import { type Template, templateOf } from "./template.ts";
import type { BoundNode } from "./tree.ts";

export type FilterCacheOptions = {
  /** Shapes kept; the one kept longest leaves first. */
  readonly capacity?: number;
  readonly limits?: Limits;
  /** See {@link BindOptions.ignoreCase}: for all filters of this function. */
  readonly ignoreCase?: boolean;
};

/** A shape that was met, by its first text. Without template its tree depends on more than types. */
type Known = { readonly shape: Shape; readonly template: Template | undefined };

/**
 * A function that parses and binds filters over one entity set, and remembers their shapes: a filter that
 * differs from an earlier one only in its literals is neither parsed nor bound again. The tree is the same.
 *
 * @throws {QueryError} from the returned function, as `parseFilter` and `bindFilter` do.
 */
export function cachedFilterBinder(
  entitySet: EntitySet,
  { capacity = 500, limits = defaultLimits, ignoreCase = false }: FilterCacheOptions = {},
): (text: string) => BoundNode {
  const shapes = new Map<number, Known>();
  return (text) => {
    const shape = text.length <= limits.textLength ? shapeOf(text) : undefined;
    const known = shape && shapes.get(shape.hash);
    if (shape !== undefined && known?.template !== undefined && isSameShape(shape, known.shape)) {
      const { types, build } = known.template;
      const constants = shape.literals.map(bindLiteral);
      if (constants.every(({ type }, i) => type === types[i])) return build(constants);
    }
    const tree = bindFilter(parseFilter(text, limits), entitySet, { ignoreCase });
    if (shape !== undefined && known === undefined) {
      shapes.set(shape.hash, { shape, template: templateOf(tree, shape.literals.map(bindLiteral)) });
      const [oldest] = shapes.keys();
      if (shapes.size > capacity && oldest !== undefined) shapes.delete(oldest);
    }
    return tree;
  };
}
