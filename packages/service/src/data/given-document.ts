/** A text that must not be printed: neither `JSON.stringify` nor `util.inspect` shows it. */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }
}

/** A document of secrets that a setting gives: its text, or the path of its file. */
export type GivenDocument = SecretText | { readonly file: string };

/** Parses a setting. A JSON object is the document itself; anything else is a path. */
export const toGivenDocument = (text: string): GivenDocument =>
  text.trimStart().startsWith("{") ? new SecretText(text) : { file: text };
