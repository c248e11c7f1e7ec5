import type { Home } from "./homes.ts";

/** Whether a home is in the answer, said without any of the package. */
type Truth = (home: Home) => boolean;

/** What a value that is not null has to be; of null nothing but null is true. */
const is = <T>(value: T | null, truth: (value: T) => boolean): boolean => value !== null && truth(value);
const both = <A, B>(a: A | null, b: B | null, truth: (a: A, b: B) => boolean): boolean =>
  a !== null && b !== null && truth(a, b);
const isNot = <T>(value: T | null, truth: (value: T) => boolean): boolean => value === null || truth(value);

const codePoints = (text: string): readonly string[] => Array.from(text);
const places = (text: string, part: string): number => {
  const at = text.indexOf(part);
  return at < 0 ? -1 : codePoints(text.slice(0, at)).length;
};
const cents = (price: number): bigint => BigInt(Math.round(price * 100));
const at = (text: string): number => Date.parse(text);
const day = 86_400_000;
const quotient = (a: number, b: number): number => Math.trunc(a / b);

const comparisons: readonly (readonly [string, Truth])[] = [
  ["Name eq 'York'", (h) => h.Name === "York"],
  ["'York' eq Name", (h) => h.Name === "York"],
  ["Name ne 'York'", (h) => h.Name !== "York"],
  ["Name eq null", (h) => h.Name === null],
  ["Name ne null", (h) => h.Name !== null],
  ["null eq Name", (h) => h.Name === null],
  ["Name eq ''", (h) => h.Name === ""],
  ["Name eq 'O''Fallon'", (h) => h.Name === "O'Fallon"],
  ["Name eq ''''''", (h) => h.Name === "''"],
  ['Name eq \'"; drop table "Homes"; --\'', (h) => h.Name === '"; drop table "Homes"; --'],
  ["Name eq '😀'", (h) => h.Name === "😀"],
  ["Name eq 'é'", (h) => h.Name === "é"],
  ["Name gt '\uffee'", (h) => h.Name === "😀" || h.Name === "😀rk"],
  ["Name lt 'a'", (h) => is(h.Name, (name) => (codePoints(name)[0]?.codePointAt(0) ?? 0) < 97)],
  ["Name ge 'York' and Name le 'York'", (h) => h.Name === "York"],
  ["Name lt ''", () => false],
  ["Name ge ''", (h) => h.Name !== null],
  ["Price gt 100", (h) => is(h.Price, (price) => price > 100)],
  ["Price ge 100", (h) => is(h.Price, (price) => price >= 100)],
  ["Price lt 0", (h) => is(h.Price, (price) => price < 0)],
  ["Price le 0", (h) => is(h.Price, (price) => price <= 0)],
  ["100 lt Price", (h) => is(h.Price, (price) => price > 100)],
  ["Price eq 0.07", (h) => h.Price === 0.07],
  ["Price eq 0.070", (h) => h.Price === 0.07],
  ["Price eq 0.075", () => false],
  ["Price ne 0.075", () => true],
  ["Price gt 0.075", (h) => is(h.Price, (price) => price > 0.07)],
  ["Price le 0.075", (h) => is(h.Price, (price) => price <= 0.07)],
  ["Price gt null", () => false],
  ["Price le null", () => false],
  ["null lt Price", () => false],
  ["Price eq 999999999999.99", (h) => h.Price === 999_999_999_999.99],
  ["Price lt 1e30", (h) => h.Price !== null],
  ["Price gt -1e30", (h) => h.Price !== null],
  ["Price lt INF", (h) => h.Price !== null],
  ["Price gt -INF", (h) => h.Price !== null],
  ["Price eq NaN", () => false],
  ["Price ne NaN", () => true],
  ["Price lt NaN", () => false],
  ["Big eq 9007199254740993", (h) => h.Big === 9007199254740993n],
  ["Big gt 9007199254740992", (h) => is(h.Big, (big) => big > 9007199254740992n)],
  ["Big ge -9223372036854775808", (h) => h.Big !== null],
  ["Big lt 9223372036854775808", (h) => h.Big !== null],
  ["Score eq 0.1", (h) => h.Score === 0.1],
  ["Score lt 1e-300", (h) => is(h.Score, (score) => score < 1e-300)],
  ["Score gt 0", (h) => is(h.Score, (score) => score > 0)],
  ["Open", (h) => h.Open === true],
  ["not Open", (h) => h.Open === false],
  ["Open eq false", (h) => h.Open === false],
  ["Open ne true", (h) => h.Open !== true],
  ["Open eq null", (h) => h.Open === null],
  ["Id eq 0F0E0D0C-0B0A-0908-0706-050403020100", (h) => is(h.Id, (id) => id.startsWith("0f"))],
];

const betweenProperties: readonly (readonly [string, Truth])[] = [
  ["Name eq Town", (h) => h.Name === h.Town],
  ["Name ne Town", (h) => h.Name !== h.Town],
  ["$it/Name eq Town", (h) => h.Name === h.Town],
  ["not (Name eq Town)", (h) => h.Name !== h.Town],
  ["Price gt Tax", (h) => both(h.Price, h.Tax, (price, tax) => price > tax)],
  ["not (Price gt Tax)", (h) => !both(h.Price, h.Tax, (price, tax) => price > tax)],
  ["Price eq Tax", (h) => h.Price === h.Tax],
  ["Beds eq Baths", (h) => h.Beds === h.Baths],
  ["Beds lt Score", (h) => both(h.Beds, h.Score, (beds, score) => beds < score)],
  ["Price ge Beds", (h) => both(h.Price, h.Beds, (price, beds) => price >= beds)],
  ["Beds ne Score", (h) => h.Beds !== h.Score],
  ["Built eq date(Changed)", (h) => h.Built === (h.Changed?.slice(0, 10) ?? null)],
];

const logic: readonly (readonly [string, Truth])[] = [
  ["not (Name eq 'York')", (h) => h.Name !== "York"],
  ["not (Price gt 100)", (h) => !is(h.Price, (price) => price > 100)],
  ["not not (Price gt 100)", (h) => is(h.Price, (price) => price > 100)],
  ["not contains(Name,'York')", (h) => is(h.Name, (name) => !name.includes("York"))],
  ["not (Open and Beds gt 1)", (h) => h.Open === false || !is(h.Beds, (beds) => beds > 1)],
  ["Open or Beds gt 1", (h) => h.Open === true || is(h.Beds, (beds) => beds > 1)],
  ["not (Open or Beds gt 1)", (h) => h.Open === false && !is(h.Beds, (beds) => beds > 1)],
  ["Open and null", () => false],
  ["not (Open and null)", (h) => h.Open === false],
  ["(Open and null) eq null", (h) => h.Open !== false],
  [
    "Name eq 'York' or Town eq 'York' and Open",
    (h) => h.Name === "York" || (h.Town === "York" && h.Open === true),
  ],
  [
    "(Name eq 'York' or Town eq 'York') and Open",
    (h) => (h.Name === "York" || h.Town === "York") && h.Open === true,
  ],
  ["true", () => true],
  ["false", () => false],
  ["null", () => false],
  ["(Price gt 100) eq Open", (h) => is(h.Price, (price) => price > 100) === h.Open],
];

const lists: readonly (readonly [string, Truth])[] = [
  ["Name in ('York','100%')", (h) => h.Name === "York" || h.Name === "100%"],
  ["Name in ('York',null)", (h) => h.Name === "York" || h.Name === null],
  ["not (Name in ('York','100%'))", (h) => h.Name !== "York" && h.Name !== "100%"],
  ["not (Name in ('York',null))", (h) => h.Name !== "York" && h.Name !== null],
  ["Beds in (1,2,3)", (h) => h.Beds === 1 || h.Beds === 2 || h.Beds === 3],
  ["Price in (0.07,1.5,0.075)", (h) => h.Price === 0.07 || h.Price === 1.5],
  ["Name in Tags", (h) => h.Tags.includes(h.Name)],
  ["'Oven' in Tags", (h) => h.Tags.includes("Oven")],
  ["Beds in Counts", (h) => h.Counts.includes(h.Beds)],
  ["Views has Demo.Views'Lake'", (h) => is(h.Views, (views) => views.includes("Lake"))],
  [
    "Views has Demo.Views'City,Lake'",
    (h) => is(h.Views, (views) => views.includes("City") && views.includes("Lake")),
  ],
  ["not (Views has Demo.Views'Lake')", (h) => is(h.Views, (views) => !views.includes("Lake"))],
  ["Views eq Demo.Views'City,Lake'", (h) => h.Views?.join() === "Lake,City"],
];

const lambdas: readonly (readonly [string, Truth])[] = [
  ["Tags/any()", (h) => h.Tags.length > 0],
  ["not Tags/any()", (h) => h.Tags.length === 0],
  ["Tags/any(t:t eq 'Oven')", (h) => h.Tags.includes("Oven")],
  ["Tags/all(t:t eq 'Oven')", (h) => h.Tags.every((tag) => tag === "Oven")],
  ["not Tags/any(t:t eq 'Oven')", (h) => !h.Tags.includes("Oven")],
  ["Tags/any(t:t eq null)", (h) => h.Tags.includes(null)],
  ["Tags/any(t:t ne 'Oven')", (h) => h.Tags.some((tag) => tag !== "Oven")],
  ["Tags/any(t:t eq Name)", (h) => h.Tags.includes(h.Name)],
  ["Tags/any(t:contains(t,'ven'))", (h) => h.Tags.some((tag) => is(tag, (text) => text.includes("ven")))],
  ["Tags/all(t:contains(t,'ven'))", (h) => h.Tags.every((tag) => is(tag, (text) => text.includes("ven")))],
  [
    "not Tags/all(t:contains(t,'ven'))",
    (h) => h.Tags.some((tag) => is(tag, (text) => !text.includes("ven"))),
  ],
  [
    "not Tags/any(t:contains(t,'ven'))",
    (h) => h.Tags.every((tag) => is(tag, (text) => !text.includes("ven"))),
  ],
  ["Counts/any(c:c gt 1)", (h) => h.Counts.some((count) => is(count, (n) => n > 1))],
  ["Counts/all(c:c gt 1)", (h) => h.Counts.every((count) => is(count, (n) => n > 1))],
  ["Counts/any(c:c gt Beds)", (h) => h.Counts.some((count) => both(count, h.Beds, (n, beds) => n > beds))],
  [
    "Counts/any(c:c add 1 eq Beds)",
    (h) => h.Counts.some((n) => (n === null ? h.Beds === null : n + 1 === h.Beds)),
  ],
  [
    "Tags/any(a:Tags/any(b:a eq 'Oven' and b eq 'oven'))",
    (h) => h.Tags.includes("Oven") && h.Tags.includes("oven"),
  ],
  ["Tags/$count gt 2", (h) => h.Tags.length > 2],
  ["Tags/$count($filter=$this eq 'Oven') eq 1", (h) => h.Tags.filter((tag) => tag === "Oven").length === 1],
];

const text: readonly (readonly [string, Truth])[] = [
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

const numbers: readonly (readonly [string, Truth])[] = [
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
  ["case(Beds gt 2:1,Open:2) eq null", (h) => !is(h.Beds, (beds) => beds > 2) && h.Open !== true],
];

const times: readonly (readonly [string, Truth])[] = [
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

/** The capitol and the airport of Austin are 11 km apart, Waco is 150 km away, and Fiji is at the antimeridian. */
const geography: readonly (readonly [string, Truth])[] = [
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

/** Filters by what they are about, each with its truth. */
export const filters: Readonly<Record<string, readonly (readonly [string, Truth])[]>> = {
  comparisons,
  "comparisons of properties": betweenProperties,
  logic,
  lists,
  lambdas,
  text,
  numbers,
  times,
  geography,
};
