/** Counts the code points of a text, as both databases do. `text.length` would count UTF-16 code units. */
export function codePointLength(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (isPair(text.charCodeAt(i - 1), text.charCodeAt(i))) count--;
  }
  return count;
}

const isPair = (high: number, low: number) => (high & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00;

/** Returns the UTF-16 index of the code point with index `count`, at most the length of the text. */
function unitIndex(text: string, count: number): number {
  let index = 0;
  for (let rest = count; rest > 0 && index < text.length; rest--) {
    index += isPair(text.charCodeAt(index), text.charCodeAt(index + 1)) ? 2 : 1;
  }
  return index;
}

/** Returns the part of a text from code point `start`, with at most `count` code points. */
export function codePointSlice(text: string, start: bigint, count: bigint | undefined): string {
  const [from, to] = sliceBounds(codePointLength(text), start, count);
  const first = unitIndex(text, from);
  return text.slice(first, first + unitIndex(text.slice(first), to - from));
}

/**
 * Returns the half-open range that `substring` takes out of `length` items. A negative start counts from the end.
 * Source: OData 4.01 URL Conventions, section 5.1.1.5.7.
 */
export function sliceBounds(
  length: number,
  start: bigint,
  count: bigint | undefined,
): readonly [from: number, to: number] {
  const from = clamp(start < 0n ? BigInt(length) + start : start, length);
  return [from, count === undefined ? length : clamp(BigInt(from) + count, length)];
}

const clamp = (index: bigint, length: number): number =>
  index < 0n ? 0 : index > BigInt(length) ? length : Number(index);
