import { foldCaseMapping } from "./case-mapping.ts";

let cased: ReadonlySet<number> | undefined;

/** True if a character has the same folded case as another one. */
function hasCase(code: number): boolean {
  cased ??= new Set([...foldCaseMapping()].flat());
  return cased.has(code);
}

/**
 * Returns the characters of a text as an index folds them that knows the letter case of ASCII alone. Null stands for a character of which
 * such an index cannot know all forms.
 */
export const asciiFolded = (text: string): readonly (string | null)[] =>
  Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const folded = foldCaseMapping().get(code) ?? code;
    if (folded < 0x80) return String.fromCodePoint(folded);
    return hasCase(code) ? null : character;
  });
