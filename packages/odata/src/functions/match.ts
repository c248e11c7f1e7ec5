import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";
import { matchesPattern } from "./pattern.ts";

export const matchespattern: FunctionEntry = defineFunction({
  name: "matchespattern",
  source: "OData 4.01 URL Conventions 5.1.1.7.1",
  params: ["Edm.String", "Edm.String"],
  returns: "Edm.Boolean",
  postgres: ([text, pattern]) => sql`${text} collate "C" ~ cadastre_pattern(${pattern})`,
  evaluate: ([text, pattern]) => matchesPattern(text, pattern),
  examples: [
    ["matchesPattern('Alfreds Futterkiste','^A.*e$')", true],
    ["matchesPattern('Alfreds','^a')", false],
    ["matchesPattern('Main Street','n S')", true],
    ["matchesPattern('','^$')", true],
    ["matchesPattern('x','')", true],
    ["matchesPattern('😀','^.$')", true],
    ["matchesPattern('😀','^[😀-😂]$')", true],
    ["matchesPattern('a\nb','a.b')", false],
    ["matchesPattern('a\nb','^b')", false],
    ["matchesPattern('12 Elm','^\\d+\\s\\w{3}$')", true],
    ["matchesPattern('é','\\w')", false],
    ["matchesPattern('a-b','\\bb')", true],
    ["matchesPattern(']','^[^\\]]$')", false],
    ["matchesPattern('a','[]')", false],
    ["matchesPattern('aaa','^(?:a|b){2,3}?$')", true],
    ["matchesPattern(null,'x')", null],
  ],
});
