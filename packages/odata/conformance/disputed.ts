const names =
  "refused by the declared names alone (what is an entity set, a collection, a complex or stream property): found when the query is bound";
const custom = "by its form the second part is a custom query option, which any service may have";
const repeated =
  "the protocol forbids to repeat a system query option (OData 4.01 Protocol, 11.2.1); the grammar cannot say so";

/**
 * Cases of the suites that are not followed, by rule and input, and why. In the last group the input is
 * refused as stated, but the fault is seen at another offset.
 */
export const disputed: Readonly<Record<string, string>> = {
  "odataRelativeUri: Categories/TheBestProduct()": names,
  "odataRelativeUri: Categories(1)/Address/$value": names,
  "odataRelativeUri: Categories(1)/Thumbnail/$value": names,
  "odataRelativeUri: Products(1)/Model.BestSellingProduct/Model.BestSellingProduct": names,
  "queryOptions: $apply=aggregate(Sales/Amount sub Sales/Cost with sum as TotalAmount)": names,
  "queryOptions: $apply=aggregate(Amount as Total)": names,
  "queryOptions: $apply=aggregate(Amount)": names,
  "queryOptions: $apply=aggregate(Amount from Time with average as DailyAverage)": names,
  "queryOptions: $apply=groupby((Product/Price/@Measures.ISOCurrency))": names,
  "queryOptions: $apply=groupby((Product/Price/Quantity))": names,
  "queryOptions: $apply=groupby((Product/Self.DigitalProduct))": names,
  "queryOptions: $apply=groupby((Country/@Core.GeometryFeature))": names,
  "queryOptions: $apply=groupby((Sales/Product/Name))": names,
  "queryOptions: $apply=join(ShipTo as Detail,identity)": names,

  "queryOptions: $search=more&more": custom,
  "skiptoken: $skiptoken=Not&this": custom,

  "queryOptions: $format=json&$Format=atom&$format=xml&$format=text/html": repeated,
  "queryOptions: $format=JSON&$format=Atom&$format=XML&$format=text/html": repeated,

  "binaryLiteral: X'1a2B3c4D'": "in an expression `X` is a name, so the fault is the quote after it",
  "resourcePath: Categories(ID=wrong)": "the word that is no value begins where the value should",
  "filter: $filter= true": "the white space itself is the fault, not what follows it",
  "boolCommonExpr: Products/all()": "the variable is missing before the parenthesis, not after it",
  "queryOptions: $apply=aggregate(Sales(Amount mul Product/TaxRate with sum as Tax))":
    "an expression is a key or an argument by its form; the fault is the `with` after it",
  "queryOptions: $apply=addnested(Products,addnested(Sales,filter(Amount gt 3) as FilteredSales) as Stuff,addnested(Suppliers,nest(Products)))":
    "`Products` is no transformation; the suite reads it as one that has to go on",
};
