import { both, codePoints, is, isNot, type Truth } from "./truth.ts";

const places = (text: string, part: string): number => {
  const at = text.indexOf(part);
  return at < 0 ? -1 : codePoints(text.slice(0, at)).length;
};
const cents = (price: number): bigint => BigInt(Math.round(price * 100));
const at = (text: string): number => Date.parse(text);
const day = 86_400_000;
const quotient = (a: number, b: number): number => Math.trunc(a / b);

export const text: readonly (readonly [string, Truth])[] = [
  ["contains(Name,'%')", (h) => is(h.Name, (name) => name.includes("%"))],
  ["contains(Name,'_')", (h) => is(h.Name, (name) => name.includes("_"))],
  ["contains(Name,'a_b')", (h) => h.Name === "a_b"],
  ["contains(Name,'\\')", (h) => h.Name === "\\"],
  ["contains(Name,'')", (h) => h.Name !== null],
  ["contains(Name,'york')", (h) => h.Name === "york"],
  ["contains(Name,Town)", (h) => both(h.Name, h.Town, (name, town) => name.includes(town))],
  ["contains(Name,null)", () => false],
  ["contains(Name,null) eq null", () => true],
  ["contains(Name,'''')", (h) => is(h.Name, (name) => name.includes("'"))],
  ["startswith(Name,'100%')", (h) => h.Name === "100%"],
  ["startswith(Name,'Y')", (h) => h.Name === "York" || h.Name === "YORK"],
  ["startswith(Name,'😀')", (h) => h.Name === "😀" || h.Name === "😀rk"],
  ["endswith(Name,'%')", (h) => h.Name === "100%"],
  ["endswith(Name,'_b')", (h) => h.Name === "a_b"],
  ["endswith(Name,'rk')", (h) => is(h.Name, (name) => name.endsWith("rk"))],
  ["endswith(Name,'')", (h) => h.Name !== null],
  ["length(Name) eq 1", (h) => is(h.Name, (name) => codePoints(name).length === 1)],
  ["length(Name) gt 3", (h) => is(h.Name, (name) => codePoints(name).length > 3)],
  ["indexof(Name,'r') eq 1", (h) => is(h.Name, (name) => places(name, "r") === 1)],
  ["indexof(Name,'x') eq -1", (h) => is(h.Name, (name) => !name.includes("x"))],
  ["indexof(Name,'') eq 0", (h) => h.Name !== null],
  ["substring(Name,1) eq 'rk'", (h) => h.Name === "😀rk"],
  ["substring(Name,1,2) eq 'or'", (h) => h.Name === "York" || h.Name === "york"],
  ["substring(Name,99) eq ''", (h) => h.Name !== null],
  ["concat(Name,'!') eq 'York!'", (h) => h.Name === "York"],
  ["concat(concat(Name,' '),Town) eq 'york York'", (h) => h.Name === "york" && h.Town === "York"],
  ["concat(Name,Town) eq null", (h) => h.Name === null || h.Town === null],
  ["tolower(Name) eq 'york'", (h) => ["York", "york", "YORK"].includes(h.Name ?? "")],
  ["toupper(Name) eq 'ZÜRICH'", (h) => h.Name === "Zürich"],
  ["tolower(Name) eq 'été'", (h) => h.Name === "ÉTÉ"],
  ["trim(Name) eq 'York'", (h) => h.Name === "York" || h.Name === " York "],
  ["matchesPattern(Name,'^Y')", (h) => is(h.Name, (name) => name.startsWith("Y"))],
  ["matchesPattern(Name,'^.$')", (h) => is(h.Name, (name) => codePoints(name).length === 1)],
  ["matchesPattern(Name,'[0-9]+%')", (h) => h.Name === "100%"],
  ["not matchesPattern(Name,'o')", (h) => is(h.Name, (name) => !name.includes("o"))],
];

export const numbers: readonly (readonly [string, Truth])[] = [
  ["Beds add 2 mul 3 eq 7", (h) => h.Beds === 1],
  ["(Beds add 2) mul 3 eq 9", (h) => h.Beds === 1],
  ["Beds sub 1 sub 1 eq 1", (h) => h.Beds === 3],
  ["-Beds eq 7", (h) => h.Beds === -7],
  ["Beds div 2 eq -3", (h) => is(h.Beds, (beds) => quotient(beds, 2) === -3)],
  ["Beds div -2 eq 3", (h) => is(h.Beds, (beds) => quotient(beds, -2) === 3)],
  ["Beds mod 3 eq -1", (h) => is(h.Beds, (beds) => beds % 3 === -1)],
  ["Beds mod -3 eq 1", (h) => is(h.Beds, (beds) => beds % -3 === 1)],
  ["Beds divby 2 eq 3.5", (h) => h.Beds === 7],
  ["Beds div 0 eq null", () => true],
  ["Beds mod Baths eq null", (h) => h.Beds === null || h.Baths === null || h.Baths === 0],
  ["Beds add 1 ne 5", (h) => isNot(h.Beds, (beds) => beds !== 4)],
  ["Big add 1 gt 0", (h) => is(h.Big, (big) => big < 2n ** 63n - 1n && big + 1n > 0n)],
  ["Big add 1 eq null", (h) => isNot(h.Big, (big) => big === 2n ** 63n - 1n)],
  ["Price add Tax gt 100", (h) => both(h.Price, h.Tax, (price, tax) => cents(price) + cents(tax) > 10_000n)],
  ["Price sub Tax eq 0", (h) => both(h.Price, h.Tax, (price, tax) => price === tax)],
  ["Price mul 3 eq 4.5", (h) => h.Price === 1.5],
  ["Price div 3 lt 0.5", (h) => is(h.Price, (price) => price < 1.5)],
  ["Price div Tax eq 1", (h) => both(h.Price, h.Tax, (price, tax) => price === tax && tax !== 0)],
  ["round(Score) eq 3", (h) => h.Score === 3 || h.Score === 2.5],
  ["round(Score) eq -3", (h) => h.Score === -2.5],
  ["floor(Score) eq 0", (h) => is(h.Score, (score) => Math.floor(score) === 0)],
  ["ceiling(Score) eq 1", (h) => is(h.Score, (score) => Math.ceil(score) === 1)],
  ["floor(Price) eq -100", (h) => h.Price === -99.99],
  ["cast(Beds,Edm.String) eq '7'", (h) => h.Beds === 7],
  ["cast(Name,Edm.Int32) eq 12", (h) => h.Name === "12"],
  ["cast(Beds,Edm.Byte) eq null", (h) => isNot(h.Beds, (beds) => beds < 0 || beds > 255)],
  ["isof(Beds,Edm.Byte)", (h) => is(h.Beds, (beds) => beds >= 0 && beds <= 255)],
  ["case(Beds gt 2:'many',Beds gt 0:'some',true:'none') eq 'some'", (h) => h.Beds === 1 || h.Beds === 2],
  ["case(Beds gt 2:1,true:null) eq null", (h) => !is(h.Beds, (beds) => beds > 2)],
  ["case(Beds gt 2:1,Open:2) eq null", (h) => !is(h.Beds, (beds) => beds > 2) && h.Open !== true],
];

export const times: readonly (readonly [string, Truth])[] = [
  ["Built eq 2024-02-29", (h) => h.Built === "2024-02-29"],
  ["Built gt 2024-02-29", (h) => is(h.Built, (built) => built > "2024-02-29")],
  ["Built lt 99999-01-01", (h) => h.Built !== null],
  ["Built gt -0001-01-01", (h) => h.Built !== null],
  ["year(Built) eq 2024", (h) => is(h.Built, (built) => built.startsWith("2024"))],
  ["month(Built) eq 12 and day(Built) eq 31", (h) => is(h.Built, (built) => built.endsWith("-12-31"))],
  ["Changed eq 2024-01-15T08:30:00Z", (h) => h.Changed === "2024-01-15T08:30:00.000Z"],
  ["Changed eq 2024-01-15T08:30:00.000Z", (h) => h.Changed === "2024-01-15T08:30:00.000Z"],
  ["Changed eq 2024-01-15T08:30:00+02:00", (h) => h.Changed === "2024-01-15T06:30:00.000Z"],
  ["Changed eq 2024-01-14T22:30:00-08:00", (h) => h.Changed === "2024-01-15T06:30:00.000Z"],
  [
    "Changed gt 2024-01-15T08:30:00.0005Z",
    (h) => is(h.Changed, (changed) => changed >= "2024-01-15T08:30:00.001Z"),
  ],
  [
    "Changed le 2024-01-15T08:30:00.0005Z",
    (h) => is(h.Changed, (changed) => changed <= "2024-01-15T08:30:00.000Z"),
  ],
  ["Changed lt now()", (h) => is(h.Changed, (changed) => !changed.startsWith("9999"))],
  ["Changed gt now() sub duration'P1D'", (h) => is(h.Changed, (changed) => changed.startsWith("9999"))],
  [
    "year(Changed) eq 1969 and second(Changed) eq 59",
    (h) => is(h.Changed, (changed) => changed.startsWith("1969")),
  ],
  [
    "hour(Changed) eq 8 and minute(Changed) eq 30",
    (h) => is(h.Changed, (changed) => changed.includes("T08:30")),
  ],
  ["fractionalseconds(Changed) eq 0.001", (h) => is(h.Changed, (changed) => changed.endsWith(".001Z"))],
  ["date(Changed) eq 2024-02-29", (h) => is(h.Changed, (changed) => changed.startsWith("2024-02-29"))],
  ["time(Changed) eq 08:30:00", (h) => is(h.Changed, (changed) => changed.endsWith("T08:30:00.000Z"))],
  ["Changed add duration'PT0.001S' eq 2024-03-01T00:00:00Z", (h) => h.Changed === "2024-02-29T23:59:59.999Z"],
  [
    "Changed sub 2024-01-15T08:30:00Z le duration'PT0S'",
    (h) => is(h.Changed, (changed) => at(changed) <= at("2024-01-15T08:30:00Z")),
  ],
  ["Built add duration'P1D' eq 2024-03-01", (h) => h.Built === "2024-02-29"],
  [
    "Built sub 2024-01-01 gt duration'P60D'",
    (h) => is(h.Built, (built) => at(built) - at("2024-01-01") > 60 * day),
  ],
  ["Opens eq 08:30", (h) => h.Opens === "08:30:00"],
  ["Opens gt 08:30:00", (h) => is(h.Opens, (opens) => opens > "08:30:00")],
  ["hour(Opens) eq 23", (h) => h.Opens === "23:59:59"],
  ["Stay gt duration'PT1H'", (h) => is(h.Stay, (stay) => stay > 3600)],
  ["Stay eq duration'P1D'", (h) => h.Stay === 86_400],
  ["Stay lt duration'-P1D'", (h) => h.Stay === -129_600],
  ["totalseconds(Stay) eq 60", (h) => h.Stay === 60],
  ["Stay mul 2 eq duration'PT2M'", (h) => h.Stay === 60],
  ["-Stay eq duration'PT36H'", (h) => h.Stay === -129_600],
];

/**
 * Distances: the capitol and the airport of Austin are 11 km apart, Waco is 150 km away, and Fiji is at the
 * antimeridian.
 */
export const geography: readonly (readonly [string, Truth])[] = [
  ["geo.distance(Place,geography'Point(-97.7404 30.2747)') lt 1", (h) => h.Place === "capitol"],
  [
    "geo.distance(Place,geography'Point(-97.7404 30.2747)') lt 20000",
    (h) => h.Place === "capitol" || h.Place === "airport",
  ],
  ["geo.distance(Place,geography'Point(-97.7404 30.2747)') gt 1000000", (h) => h.Place === "fiji"],
  ["geo.distance(Place,geography'Point(-179.9 -16.5)') lt 30000", (h) => h.Place === "fiji"],
  ["geo.distance(Place,geography'Point(0 0)') eq null", (h) => h.Place === null],
  [
    "geo.intersects(Place,geography'Polygon((-98 30,-97.5 30,-97.5 30.5,-98 30.5,-98 30))')",
    (h) => h.Place === "capitol" || h.Place === "airport",
  ],
  [
    "geo.intersects(Place,geography'Polygon((-98 30,-97.5 30,-97.5 30.5,-98 30.5,-98 30),(-97.7 30.1,-97.7 30.2,-97.6 30.2,-97.6 30.1,-97.7 30.1))')",
    (h) => h.Place === "capitol",
  ],
  [
    "geo.intersects(Place,geography'Polygon((179 -17,-179 -17,-179 -16,179 -16,179 -17))')",
    (h) => h.Place === "fiji",
  ],
];
