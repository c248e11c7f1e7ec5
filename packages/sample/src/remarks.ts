import type { Fills } from "./fill.ts";
import type { Listing } from "./listing.ts";
import { firstNames, lastNames, subdivisions } from "./names.ts";
import type { PropertyKind } from "./property.ts";
import type { Random } from "./random.ts";

// biome-ignore format: a list
const openings = ["Welcome home!", "Don't miss this one.", "¡Bienvenidos!", "Rare find near downtown —", "“Quiet, bright and close to everything,” say the owners.", "A true gem 💎", "Better than new:", "Back to basics, and well kept."] as const;

// biome-ignore format: a list
const homeMiddles = ["The kitchen has a 36\" range and a farmhouse sink.", "Owner's suite with a café corner & a naïve mural.", "The \"mother-in-law\" suite has its own entry.", "10' ceilings; 2½ baths; a crêpe-myrtle alley.", "Fresh paint, new floors, a roof of 2021 (50% tax abated).", "Solar panels cut the bill to ≈ $40 a month ☀️.", "Walk to H-E-B, the library & the 3rd Street ferry.", "O'Fallon Creek runs behind the lot; no flood in 100 years.", "Backs to a greenbelt: deer, herons, the odd coyote 🦌."] as const;

// biome-ignore format: a list
const groundMiddles = ["Electricity at the road; water by a well of 410'.", "A \"hidden\" creek crosses the north side.", "Level, fenced, and ready for your plans 🌾.", "Ag valuation in place (≈ $90 a year).", "Two gates on the county road; no deed restrictions.", "Survey of 2019: 3 corners found, 1 set.", "Señal Ranch water rights convey."] as const;

// biome-ignore format: a list
const businessMiddles = ["3-phase power, 14' doors, 22' clear.", "Corner of a \"main & main\" crossing: 31,000 cars a day 🚗.", "Tenants pay taxes, insurance & upkeep.", "Café on the ground floor; the rest is vacant.", "Seller's books show a 6½% return.", "Fully sprinklered; the roof is of 2021."] as const;

/** Returns sentences that suit the kind of property. */
function middlesOf(kind: PropertyKind): readonly string[] {
  if (kind === "land" || kind === "farm") return groundMiddles;
  return kind === "commercial" || kind === "business" ? businessMiddles : homeMiddles;
}

// biome-ignore format: a list
const closings = ["Sold as is.", "Call today, gone tomorrow!", "Seller says: \"bring all offers\".", "Ask about the 2-1 buydown.", "Verano, otoño, invierno: siempre agradable.", "See it in person 🏡✨", "Agents: see private remarks.", "北向きの庭があります。"] as const;

/** Separators between sentences. */
const joints = [" ", " ", " ", "\n", "\n\n", "\r\n"] as const;

/** Draws public remarks of two to six sentences. They are the same for the same listing. */
function publicRemarks({ property: { kind, place, acres, area } }: Listing, random: Random): string {
  const ground = kind === "land" || kind === "farm";
  const size = ground ? `${acres} acres in ${place.county} County.` : `${area} sq. ft. in ${place.city}.`;
  let text = `${random.pick(openings)} ${size}`;
  const middles = middlesOf(kind);
  const first = random.int(0, middles.length - 1);
  const count = random.int(0, 3);
  for (let k = 0; k < count; k++) text += random.pick(joints) + middles[(first + k) % middles.length];
  return text + random.pick(joints) + random.pick(closings);
}

/** Fields with free text. */
export const remarksFields: Fills<Listing> = {
  PublicRemarks: publicRemarks,
  SyndicationRemarks: publicRemarks,
  Zoning: (_, random) => `${random.pick(["R", "SF", "MF", "C", "AG"])}-${random.int(1, 6)}`,
  Disclaimer: ({ system }) => `Information is deemed reliable but not guaranteed by ${system.name}.`,
  Ownership: (_, random) => random.pickEarly(["Fee Simple", "Condominium", "Leasehold"]),
  OwnerName: (_, random) => `${random.pick(firstNames)} ${random.pick(lastNames)}`,
  AssociationName: (_, random) => `${random.pick(subdivisions)} HOA`,
  TaxLegalDescription: ({ property: { acres } }, random) =>
    `LOT ${random.int(1, 60)} BLK ${random.int(1, 30)} ${random.pick(subdivisions).toUpperCase()} SEC ${random.int(1, 9)} (${acres} AC)`,
};
