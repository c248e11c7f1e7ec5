import { describe, expect, test } from "vitest";
import {
  parseApply,
  parseCompute,
  parseExpand,
  parseOrderBy,
  parseSearch,
  parseSelect,
  printApply,
  printCompute,
  printExpand,
  printOrderBy,
  printSearch,
  printSelect,
} from "../../src/syntax/index.ts";
import { errorOf } from "./error-of.ts";
import { spanless } from "./spanless.ts";

/** How each option is read and written. */
const languages = {
  $orderby: (text: string) => printOrderBy(parseOrderBy(text)),
  $select: (text: string) => printSelect(parseSelect(text)),
  $expand: (text: string) => printExpand(parseExpand(text)),
  $search: (text: string) => printSearch(parseSearch(text)),
  $compute: (text: string) => printCompute(parseCompute(text)),
  $apply: (text: string) => printApply(parseApply(text)),
} as const;
type Language = keyof typeof languages;

/** Texts of an option and their canonical form; null where the text already has it. */
const accepted: Readonly<Record<Language, readonly (readonly [text: string, canonical: string | null])[]>> = {
  $orderby: [
    ["ListPrice", null],
    ["ListPrice asc", "ListPrice"],
    ["ListPrice desc", null],
    ["ListPrice DESC", "ListPrice desc"],
    ["ListPrice  desc", "ListPrice desc"],
    ["City,ListPrice desc,ListingKey", null],
    ["City, ListPrice desc", "City,ListPrice desc"],
    ["length(City) desc,Office/Name", null],
    ["Rooms/$count desc", null],
    ["$it/City", null],
    ["Price mul 2 sub 1 desc", null],
    ["asc", null],
    ["desc desc", null],
    ["Price/@Measures.Unit#short desc", null],
    ["case(Sold:1,true:0),Price", null],
  ],
  $select: [
    ["ListPrice", null],
    ["ListPrice,City", null],
    ["ListPrice, City", "ListPrice,City"],
    ["*", null],
    ["*,Office", null],
    ["Ns.*", null],
    ["Office/Name", null],
    ["Ns.Condo/Floor", null],
    ["Office/Ns.Big/Name", null],
    ["Ns.Action", null],
    ["Ns.Score(of,by)", null],
    ["Score()", null],
    ["Rooms($select=Kind,Area)", null],
    ["Rooms(select=Kind;top=2)", "Rooms($select=Kind;$top=2)"],
    ["Rooms($filter=Area gt 10;$orderby=Area desc;$top=5;$skip=1;$count=true)", null],
    ["Rooms($top=5;$filter=Area gt 10)", "Rooms($filter=Area gt 10;$top=5)"],
    ["Rooms($search=big red)", "Rooms($search=big AND red)"],
    ["Rooms($compute=Area mul 2 as Double;$select=Double)", null],
    ["Rooms(@a=$this;$filter=@a/Area gt 1)", "Rooms($filter=@a/Area gt 1;@a=$this)"],
    ["@Core.Tag", null],
    ["Office/@Core.Tag", null],
  ],
  $expand: [
    ["Office", null],
    ["Office,Rooms", null],
    ["*", null],
    ["*/$ref", null],
    ["*($levels=2)", null],
    ["Office/*", null],
    ["Office/$ref", null],
    ["Office/$ref($filter=a eq 1;$top=1)", null],
    ["Rooms/$count", null],
    ["Rooms/$count($filter=Area gt 1;$search=x)", null],
    ["$value", null],
    ["$value,Photo", null],
    ["Ns.Condo/Rooms", null],
    ["Rooms/Ns.Bedroom", null],
    ["Rooms/Ns.Bedroom($select=Area)", null],
    [
      "Office($expand=Agents($expand=Office;$top=1);$select=Name)",
      "Office($select=Name;$expand=Agents($expand=Office;$top=1))",
    ],
    ["office(expand=agents(select=name))", "office($expand=agents($select=name))"],
    ["Office($levels=max)", null],
    ["Office($levels=3)", null],
    ["Rooms($search=(a OR b) AND c)", "Rooms($search=(a OR b) AND c)"],
    ["Rooms($search='(';$top=1)", null],
    ['Rooms($search="a;b)";$top=1)', null],
    ["Rooms($filter=Kind eq ';)';$top=1)", null],
    ["Rooms($apply=filter(Area gt 1)/aggregate(Area with sum as Total);$top=1)", null],
    ["Rooms($apply=filter(Kind eq ')');$top=1)", null],
    ["Rooms($orderby=Area desc,Kind;$skip=2;$count=false)", null],
    ["History($at=2024-01-01)", null],
    ["History($select=Name;$from=2024-01-01;$to=max)", null],
    ["@Ns.Term($top=2)", null],
    ["@Ns.Term/Rooms", null],
  ],
  $search: [
    ["blue", null],
    ["blue green", "blue AND green"],
    ["blue AND green", null],
    ["blue OR green", null],
    ["NOT blue", null],
    ["NOT NOT blue", null],
    ["NOT (blue OR green)", null],
    ["blue NOT green", "blue AND NOT green"],
    ["a b OR c d", "a AND b OR c AND d"],
    ["(a OR b) c", "(a OR b) AND c"],
    ["a (b c)", "a AND (b AND c)"],
    ["( a )", "a"],
    ['"blue green"', null],
    ['"a \\"b\\" c"', null],
    ['"a" b', '"a" AND b'],
    ["Daniel's", null],
    ["1984", null],
    ["a,b", null],
    ["a-b_c.d/e?f=g$h:i@j", null],
    ["#1", null],
    ["AND", null],
    ["OR", null],
    ["NOT", null],
    ["NOT NOT", "NOT (NOT)"],
    ["and", null],
    ["a and b", "a AND and AND b"],
    ["'half \"typed'", null],
    ["'it''s ('", null],
    ["Δ ü", "Δ AND ü"],
  ],
  $compute: [
    ["Price mul 2 as Twice", null],
    ["Price mul 2 as Twice,Twice add 1 as More", null],
    ["Price as P, City as C", "Price as P,City as C"],
    ["case(X gt 0:1,X lt 0:-1,true:0) as Sign", null],
    ["@Core.Tag as Tag", null],
  ],
  $apply: [
    ["identity", null],
    ["aggregate(Price with sum as Total)", null],
    ["aggregate(Price with sum as Total,Price with Ns.median as Median)", null],
    ["aggregate($count as Rows)", null],
    ["aggregate(Rooms/$count as Rows)", null],
    ["aggregate(Forecast)", null],
    ["aggregate(Price with sum from Month with average as Mean)", null],
    ["aggregate(Price with sum from Month,City with average as Mean)", null],
    ["groupby((City))", null],
    ["groupby((City,Office/Name),aggregate(Price with max as Top))", null],
    ["groupby( ( City ) , aggregate( $count as Rows ) )", "groupby((City),aggregate($count as Rows))"],
    ["groupby((rollup(Country,City),Year),aggregate($count as Rows))", null],
    ["groupby((rollup($all,Country,City)))", null],
    ["groupby((rolluprecursive($root/Areas,Tree,ID)))", null],
    [
      "groupby((rolluprecursive($root/Areas,Tree,Area/ID,descendants($root/Areas,Tree,ID,filter(ID eq 'x'),1))))",
      null,
    ],
    ["filter(Price gt 1)/groupby((City))/orderby(City desc)/skip(1)/top(2)", null],
    ["FILTER(Price gt 1)", "filter(Price gt 1)"],
    ["search(blue OR green)", null],
    ["search(')/top(1')", null],
    ["compute(Price mul 2 as Twice)/filter(Twice gt 1)", null],
    ["concat(topcount(2,Price),bottompercent(10,Price))", null],
    ["topsum(10,Price)/bottomsum(1,Price)/toppercent(1,Price)/bottomcount(1,Price)", null],
    ["nest(groupby((City)) as Cities,identity as All)", null],
    ["addnested(Rooms,filter(Area gt 1) as Big)", null],
    ["join(Sales as Sale)", null],
    ["outerjoin(Sales as Sale,filter(Amount gt 1))", null],
    ["ancestors($root/Areas,Tree,ID,filter(Name eq 'x'),2,keep start)", null],
    ["descendants($root/Areas,Tree,ID,filter(Name eq 'x'),keep start)", null],
    ["traverse($root/Areas,Tree,ID,preorder,Name desc,ID)", null],
    ["traverse($root/Areas,Tree,ID,postorder,filter(ID eq 1))", null],
    ["Ns.condense()", null],
    ["groupby((City),Ns.Top(Count=1,By='Price'))", null],
  ],
};

const refused: Readonly<
  Record<Language, readonly (readonly [text: string, at: number, expected: string])[]>
> = {
  $orderby: [
    ["", 0, "a value"],
    ["City,", 5, "a value"],
    ["City,,State", 5, "a value"],
    ["City up", 5, "`asc`, `desc`, `,` or the end of the text"],
    ["City desc asc", 10, "`asc`, `desc`, `,` or the end of the text"],
    ["Ns.City", 7, "`(` or `/`"],
  ],
  $select: [
    ["", 0, "an item of `$select`"],
    ["City,", 5, "an item of `$select`"],
    ["City Price", 5, "`,` or the end of the text"],
    ["1", 0, "an item of `$select`"],
    ["Office/", 7, "a value"],
    ["Rooms($levels=2)", 6, "a query option"],
    ["Rooms($top=x)", 11, "a value of the option"],
    ["Rooms($top=-1)", 11, "a whole number"],
    ["Rooms($unknown=1)", 6, "a query option"],
  ],
  $expand: [
    ["", 0, "an item of `$expand`"],
    ["Office($top=1", 13, "`;` or `)`"],
    ["Office($top=1,$skip=2)", 13, "`;` or `)`"],
    ["Office()", 7, "a query option"],
    ["Office/$value", 7, "`$ref` or `$count`"],
    ["Office/$ref/Name", 11, "`,` or the end of the text"],
    ["Office/$ref($levels=2)", 12, "a query option"],
    ["Rooms/$count($top=1)", 13, "a query option"],
    ["Office($levels=0)", 15, "a number from 1 on, or `max`"],
    ["Office($levels=some)", 15, "a number from 1 on, or `max`"],
    ["Office($count=1)", 14, "a value of the option"],
    ["Office($search=a(b)", 16, "white space"],
  ],
  $search: [
    ["", 0, "a word"],
    ["(", 1, "a word"],
    ["()", 1, "a word"],
    ["(a", 2, "`)`"],
    ["a)", 1, "a word or the end of the text"],
    ["a(b)", 1, "white space"],
    ["a;b", 1, "a word"],
    ['"a', 2, 'a closing `"`'],
    ['"a"b', 3, "white space"],
  ],
  $compute: [
    ["Price", 5, "`as`"],
    ["Price as", 8, "a name"],
    ["Price as Ns.P", 9, "a name without a dot"],
  ],
  $apply: [
    ["", 0, "a name"],
    ["total(Price)", 0, "a transformation"],
    ["aggregate", 9, "`(`"],
    ["aggregate()", 10, "an argument"],
    ["aggregate(Price with sum)", 24, "`as`"],
    ["aggregate($count)", 16, "`as`"],
    ["groupby(City)", 8, "an argument"],
    ["groupby(())", 9, "a path or `rollup`"],
    ["concat(identity)", 15, "a value"],
    ["topcount(2)", 10, "`,`"],
    ["filter()", 7, "an argument"],
    ["join(Sales)", 10, "`as`"],
    ["traverse($root/Areas,Tree,ID,sideways)", 29, "`preorder` or `postorder`"],
    ["identity/", 9, "a name"],
    ["top(1)top(2)", 6, "`/` or the end of the text"],
  ],
};

for (const name of Object.keys(languages) as Language[]) {
  describe(`${name} is read and written`, () => {
    test.each(accepted[name])("%s", (text, canonical) => {
      const printed = languages[name](text);
      expect(printed).toBe(canonical ?? text);
      expect(languages[name](printed)).toBe(printed);
    });
  });

  describe(`a fault of ${name} is refused where it is`, () => {
    test.each(refused[name])("%j at %i, for want of %s", (text, at, expected) => {
      const error = errorOf(() => languages[name](text));
      expect([error.span?.start, error.details["expected"]]).toEqual([at, expected]);
    });
  });
}

test("an option that is repeated inside parentheses is refused", () => {
  const error = errorOf(() => parseExpand("Office($top=1;top=2)"));
  expect([error.code, error.details["name"], error.span?.start]).toEqual(["duplicate_option", "$top", 14]);
});

test("the same $orderby by the grammar and by the fast path", () => {
  const plain = parseOrderBy("City desc,ListPrice");
  const spaced = parseOrderBy("City desc, ListPrice");
  expect(spanless(plain)).toEqual(spanless(spaced));
});
