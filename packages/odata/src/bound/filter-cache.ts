import type { EntitySet } from "../model/types.ts";
import { defaultLimits, type Limits, parseFilter } from "../syntax/index.ts";
import { bindFilter } from "./bind.ts";
import { type FilterShape, filterShapeOf, isSameShape } from "./filter-shape.ts";
import { type FilterTemplate, filterTemplateOf } from "./filter-template.ts";
import { bindLiteral } from "./literal.ts";
import type { BoundNode } from "./tree.ts";

export type FilterCacheOptions = {
  /** Maximum number of cached shapes. The oldest is evicted first (FIFO). */
  readonly capacity?: number;
  readonly limits?: Limits;
  /** See {@link BindOptions.ignoreCase}. Applies to all filters of the binder. */
  readonly ignoreCase?: boolean;
};

/**
 * A cached shape, represented by the first filter that had it. Without a template, its tree depends on more than
 * the types of its constants, and is bound each time.
 */
type Known = { readonly shape: FilterShape; readonly template: FilterTemplate | undefined };

/**
 * Returns a function that parses and binds filters over one entity set, with a cache of filter shapes: a filter
 * that differs from an earlier one only in its literals is neither parsed nor bound again. The resulting tree is
 * the same as without the cache.
 *
 * @throws {QueryError} from the returned function, as `parseFilter` and `bindFilter` do.
 */
export function cachedFilterBinder(
  entitySet: EntitySet,
  { capacity = 500, limits = defaultLimits, ignoreCase = false }: FilterCacheOptions = {},
): (text: string) => BoundNode {
  const shapes = new Map<number, Known>();
  return (text) => {
    const shape = text.length <= limits.textLength ? filterShapeOf(text) : undefined;
    const known = shape && shapes.get(shape.hash);
    if (shape !== undefined && known?.template !== undefined && isSameShape(shape, known.shape)) {
      const { types, build } = known.template;
      const constants = shape.literals.map(bindLiteral);
      if (constants.every(({ type }, i) => type === types[i])) return build(constants);
    }
    const tree = bindFilter(parseFilter(text, limits), entitySet, { ignoreCase });
    if (shape !== undefined && known === undefined) {
      shapes.set(shape.hash, { shape, template: filterTemplateOf(tree, shape.literals.map(bindLiteral)) });
      const [oldest] = shapes.keys();
      if (shapes.size > capacity && oldest !== undefined) shapes.delete(oldest);
    }
    return tree;
  };
}
