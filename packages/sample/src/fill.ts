import type { Field } from "@cadastre/reso";
import { dateText, msPerDay, timestampText } from "./calendar.ts";
import { sampleCatalog } from "./catalog/index.ts";
import { phoneNumber } from "./member.ts";
import { subdivisions } from "./names.ts";
import { lowerCaseWord, mailHost, phrase, sentences } from "./phrases.ts";
import { hashText, type Random } from "./random.ts";
import type { FieldValue } from "./record.ts";

/** Returns a field's value for the entity; undefined if it has none. */
export type Fill<Entity> = (entity: Entity, random: Random) => FieldValue | undefined;

/** Fill functions by field name. */
export type Fills<Entity> = Readonly<Record<string, Fill<Entity>>>;

/** Times of an entity, in milliseconds since 1970. */
export type Dated = { readonly enteredAt: number; readonly modifiedAt: number };

/** Lookup values that stand for a missing answer. They never occur together with others. */
const evasive = new Set(["None", "Other", "See Remarks", "Unknown"]);

/** Values of lookups for which the dictionary lists none. */
const openValues: Readonly<Record<string, readonly string[]>> = {
  BuildingFeatures: ["Elevator", "Lobby", "Loading Dock", "Rooftop Deck", "Storage"],
  Disclosures: ["Lead Based Paint", "Seller Disclosure", "Flood Zone", "Easements", "Historic District"],
  DocumentsAvailable: ["Survey", "Floor Plans", "Title Report", "Inspection Report", "Disclosures"],
  GreenLocation: ["Close to Transit", "Walkable", "Infill"],
  IrrigationSource: ["Well", "Canal", "Reclaimed Water", "Ditch"],
  ShowingDays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
  ImageSizeDescription: ["Large", "Thumbnail"],
  MediaStatus: ["Complete", "Processing"],
  MemberMlsSecurityClass: ["Agent", "Broker", "Assistant"],
  SyndicateAgentOption: ["Opt In", "Opt Out"],
};

/** Returns the display values of the lookup of `field` that fit its length, without the evasive ones. */
function choices(field: Field): readonly string[] {
  if (field.lookup === undefined) return [];
  const listed = sampleCatalog.lookups.values(field.lookup).map(({ value }) => value);
  const values = listed.length > 0 ? listed : (openValues[field.lookup] ?? []);
  const told = values.filter((value) => !evasive.has(value) && value.length <= (field.maxLength ?? 255));
  return told.length > 0 ? told : values;
}

/** Draws one to five of `values`, in their order. */
function several(values: readonly string[], random: Random): readonly string[] {
  const wanted = random.int(1, Math.min(5, values.length));
  const step = Math.floor(values.length / wanted);
  const picked: string[] = [];
  for (let k = 0; k < wanted; k++) picked.push(values[k * step + random.int(0, step - 1)] as string);
  return picked;
}

/** Bounds of numbers by the name of the field; the first match applies. */
const numberBounds: readonly (readonly [RegExp, number, number])[] = [
  [/Year(?!s)/, 1935, 2026],
  [/TaxRate/, 0, 3],
  [/CapRate/, 3, 9],
  [/Score|Percent|Rate$/, 1, 99],
  [/DistanceTo|Feet|Elevation|Setback|Length|Width|Depth/, 10, 900],
  [/Expense|Income|Rent|Amount|Fee|Price|Value|Bill|Cost|Tax|Payoff|Deposit/, 100, 9000],
  [/Area|SquareFeet/, 120, 4000],
  [/SeatingCapacity/, 8, 240],
  [/Capacity|Pounds|Gallons/, 500, 20_000],
  [/Acres/, 1, 80],
  [/Days/, 1, 90],
];

function boundsOf(name: string): readonly [number, number] {
  const found = numberBounds.find(([pattern]) => pattern.test(name));
  return found === undefined ? [0, 9] : [found[1], found[2]];
}

function fillDecimal(field: Field): Fill<unknown> {
  const [low, high] = boundsOf(field.name);
  const scale = field.scale ?? 2;
  // Two of three amounts are whole numbers.
  const power = 10 ** scale;
  const most = Math.min(high, 10 ** ((field.precision ?? 14) - scale) - 1);
  return (_, random) =>
    random.chance(0.66)
      ? random.int(low, most)
      : Math.round((low + (most - low) * random.unit()) * power) / power;
}

function fillText(field: Field): Fill<unknown> {
  const most = field.maxLength ?? 255;
  const { name } = field;
  const cut = (text: string): string => (text.length <= most ? text : text.slice(0, most).trimEnd());
  if (name.endsWith("Ext")) return (_, random) => String(random.int(100, 999));
  if (/(Phone|Fax|Pager|VoiceMail|TTYTDD)\d?$/.test(name)) return (_, random) => phoneNumber(random.bits());
  if (name.endsWith("Email")) return (_, random) => `contact${random.int(1, 9999)}@${mailHost}`;
  if (/URL/.test(name))
    return (_, random) => `https://www.example.com/${name.toLowerCase()}/${random.int(1, 99_999)}`;
  if (/(Comments|Remarks|Instructions|Bio|LegalDescription|Restrictions)$/.test(name) || most > 512) {
    return (_, random) => cut(sentences(random));
  }
  if (
    /(Number|Id|ID|Key|Lot|Block|Tract|Code|License\d?|Serial\w*|Coordinate|Section|Township|Range)$/.test(
      name,
    )
  ) {
    return (_, random) => cut(`${random.int(100, 99_999)}`);
  }
  if (name.endsWith("Plus4")) return (_, random) => String(random.int(1000, 9999));
  if (name.endsWith("Name") && most >= 40) return (_, random) => random.pick(subdivisions);
  if (most < 12) return (_, random) => cut(lowerCaseWord(random));
  return (_, random) => cut(phrase(random));
}

/** Returns the fraction of records in which a yes/no field is true. */
const yesPart = (name: string): number => 0.08 + ((hashText(name) % 100) / 100) * 0.6;

function fillBoolean(field: Field): Fill<unknown> {
  const part = yesPart(field.name);
  return (_, random) => random.chance(part);
}

function fillInteger(field: Field): Fill<unknown> {
  const [low, high] = boundsOf(field.name);
  return (_, random) => random.int(low, high);
}

/** Draws a day near the time of the last change. */
const fillDate: Fill<Dated> = ({ modifiedAt }, random) =>
  dateText(Math.floor(modifiedAt / msPerDay) + random.int(-300, 90));

/** Draws a time between entry and the last change. */
const fillTimestamp: Fill<Dated> = ({ enteredAt, modifiedAt }, random) =>
  timestampText(enteredAt + Math.floor((modifiedAt - enteredAt) * random.unit()));

/** Fill functions by the type of the field. */
const fillers: Partial<Record<Field["type"], (field: Field) => Fill<Dated>>> = {
  "Edm.String": fillText,
  "Edm.Boolean": fillBoolean,
  "Edm.Int64": fillInteger,
  "Edm.Decimal": fillDecimal,
  "Edm.Date": () => fillDate,
  "Edm.DateTimeOffset": () => fillTimestamp,
};

/** Returns the fill function for a field of which only name, type and lookup are known. */
export function genericFill(field: Field): Fill<Dated> {
  const values = choices(field);
  if (field.collection) {
    return values.length > 0
      ? (_, random) => several(values, random)
      : (_, random) => [lowerCaseWord(random)];
  }
  if (values.length > 0) return (_, random) => random.pickEarly(values);
  const filler = fillers[field.type];
  if (filler === undefined) throw new RangeError(`no fill for \`${field.name}\` of type \`${field.type}\``);
  return filler(field);
}
