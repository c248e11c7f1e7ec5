/** Date forms of a mapping, by name, with the pattern of a text and the ISO 8601 text for it. */
const dateForms = {
  "MM/DD/YYYY": { pattern: /^(?<M>\d{1,2})\/(?<D>\d{1,2})\/(?<Y>\d{4})$/ },
  "DD/MM/YYYY": { pattern: /^(?<D>\d{1,2})\/(?<M>\d{1,2})\/(?<Y>\d{4})$/ },
  "DD.MM.YYYY": { pattern: /^(?<D>\d{1,2})\.(?<M>\d{1,2})\.(?<Y>\d{4})$/ },
  YYYYMMDD: { pattern: /^(?<Y>\d{4})(?<M>\d\d)(?<D>\d\d)$/ },
  "YYYY-MM-DD HH:mm:ss": {
    pattern: /^(?<Y>\d{4})-(?<M>\d\d)-(?<D>\d\d) (?<time>\d\d:\d\d:\d\d(?:\.\d{1,12})?)$/,
  },
  "MM/DD/YYYY HH:mm:ss": {
    pattern: /^(?<M>\d{1,2})\/(?<D>\d{1,2})\/(?<Y>\d{4}) (?<time>\d\d:\d\d:\d\d(?:\.\d{1,12})?)$/,
  },
} as const satisfies Record<string, { readonly pattern: RegExp }>;

export type DateForm = keyof typeof dateForms;
export const dateFormNames = Object.keys(dateForms) as [DateForm, ...DateForm[]];

/** Returns the ISO 8601 text of a date, or of a time in UTC. Returns a text of another form unchanged: the checks reject it. */
export function isoDate(text: string, form: DateForm): string {
  const { Y, M = "", D = "", time } = dateForms[form].pattern.exec(text.trim())?.groups ?? {};
  if (Y === undefined) return text;
  const date = `${Y}-${M.padStart(2, "0")}-${D.padStart(2, "0")}`;
  return time === undefined ? date : `${date}T${time}Z`;
}
