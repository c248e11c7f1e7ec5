import { PNG } from "pngjs";
import type { Color } from "./color.ts";
import { glyphs } from "./glyphs.ts";

/** Size of a dot of a glyph, in pixels. */
const dot = 2;

/** Height of a line of text including descenders, in pixels. */
export const lineHeight = 9 * dot;

const ink: Color = [34, 34, 34];

/** Rectangle in pixels from the left and from the top. */
type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

const rowsOf = (character: string): readonly string[] => (glyphs[character] ?? glyphs["?"] ?? "").split(" ");

/** Returns the width of a text, in pixels. */
export const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + dot * ((rowsOf(character)[0]?.length ?? 0) + 1), 0);

/** Canvas with a white background. */
export class Picture {
  readonly #png: PNG;

  constructor(width: number, height: number) {
    this.#png = new PNG({ width, height, colorType: 2 });
    this.#png.data.fill(0xff);
  }

  fill({ x, y, width, height }: Area, color: Color): void {
    for (let row = y; row < y + height; row++)
      for (let column = x; column < x + width; column++)
        this.#png.data.set(color, 4 * (row * this.#png.width + column));
  }

  /** Draws a line of text. Characters without a glyph are drawn as question marks. */
  write(text: string, x: number, y: number): void {
    let left = x;
    for (const character of text) {
      for (const [row, dots] of rowsOf(character).entries())
        for (const [column, one] of Array.from(dots).entries())
          if (one === "#")
            this.fill({ x: left + column * dot, y: y + row * dot, width: dot, height: dot }, ink);
      left += widthOf(character);
    }
  }

  /** Encodes the picture as a PNG file. */
  file(): Buffer {
    return PNG.sync.write(this.#png, { colorType: 2 });
  }
}
