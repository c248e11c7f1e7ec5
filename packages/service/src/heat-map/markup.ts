const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes a text for HTML and XML. Characters that XML does not allow become U+FFFD. */
export const escapeMarkup = (text: string): string =>
  text.replace(
    /[&<>"\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu,
    (character) => entities[character] ?? "\u{fffd}",
  );
