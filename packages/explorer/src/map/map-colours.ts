/** Colours of the map, read from the style sheet. */
export type MapColours = {
  readonly water: string;
  readonly land: string;
  readonly border: string;
  readonly county: string;
  readonly label: string;
  readonly text: string;
  readonly surface: string;
  readonly area: string;
  /** Colour of a mark by its class: a status, or who sees it. */
  readonly marks: Readonly<Record<string, string>>;
};

const markNames = ["open", "pending", "closed", "other", "first", "second", "both", "cell"];

export function readMapColours(element: Element): MapColours {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    water: colour("map-water"),
    land: colour("map-land"),
    border: colour("map-border"),
    county: colour("map-county"),
    label: colour("map-label"),
    text: colour("text"),
    surface: colour("surface"),
    area: colour("accent"),
    marks: Object.fromEntries(markNames.map((name) => [name, colour(`mark-${name}`)])),
  };
}
