import { foldCaseMapping } from "./case-mapping.ts";

let cased: ReadonlySet<number> | undefined;

/** True if a character has the same folded case as another one. */
function hasCase(code: number): boolean {
  cased ??= new Set([...foldCaseMapping()].flat());
  return cased.has(code);
}

/**
 * Returns the characters of a text as an index holds them that folds the letters whose folded case is ASCII, and no others. Null stands for
 * any other letter that has case: the index cannot know all its forms.
 */
export const asciiFolded = (text: string): readonly (string | null)[] =>
  Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const folded = foldCaseMapping().get(code) ?? code;
    if (folded < 0x80) return String.fromCodePoint(folded);
    return hasCase(code) ? null : character;
  });
