import type { Random } from "./random.ts";

/** Host of e-mail addresses that cannot exist. Source: RFC 2606. */
export const mailHost = "mail.example.com";

// biome-ignore format: a list
const wordList = ["north", "south", "upper", "lower", "shared", "private", "gated", "paved", "gravel", "brick", "stone", "cedar", "oak", "metal", "tile", "open", "covered", "level", "sloped", "wooded", "seasonal", "county", "city", "standard", "custom", "original", "updated", "recorded", "pending", "verified"] as const;

// biome-ignore format: a list
const phraseList = ["See agent", "Per seller", "Per county records", "Call for details", "By appointment", "Available at closing", "Well kept", "Original, ca. 1998", "Replaced 2021", "Under warranty", "Buyer to verify", "To be conveyed", "As is", "Negotiable", "On file", "West side", "Rear of lot", "Main level", "Upper level", "Detached", "Señal Ranch", "O'Brien Tract", "Phase II", "Section 4, Block B", "Lot 7 & 8"] as const;

// biome-ignore format: a list
const sentenceList = ["Buyer and buyer's agent to verify all measurements.", "Call the listing office before you go.", "Survey of 2019 is on file; a new one may be needed.", "Turn left at the second light, then right after the bridge.", "The seller is related to the listing agent.", "Utilities are at the street.", "Please remove shoes; the cat may not leave the house.", "Showings start on Saturday at 9:00.", "Drapes and the garage freezer do not convey.", "HOA fees include water, trash and the roof.", "Señas en español disponibles.", "Use the side gate; the code is with the showing service."] as const;

/** Draws a lower-case word. */
export const lowerCaseWord = (random: Random): string => random.pick(wordList);

/** Draws a phrase of two to five words. */
export const phrase = (random: Random): string => random.pick(phraseList);

/** Draws one to three sentences. */
export function sentences(random: Random): string {
  const first = random.int(0, sentenceList.length - 1);
  const count = random.int(1, 3);
  let text = sentenceList[first] as string;
  for (let k = 1; k < count; k++) text += ` ${sentenceList[(first + k * 5) % sentenceList.length]}`;
  return text;
}
