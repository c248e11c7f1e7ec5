import type { ResourcePath } from "@cadastre/server/parts";
import fc from "fast-check";
import type { Carrier } from "./carriers.ts";
import { filtersOf, ordersOf, selectsOf } from "./filters.ts";
import {
  absentKey,
  keys,
  now,
  places,
  type ResourceName,
  resourceNames,
  systems,
  universeSet,
} from "./universe.ts";

/** Options or headers, by name. */
export type Texts = Readonly<Record<string, string>>;

/** A request whose options may name fields that the caller may not see; `targetOf` replaces their names. */
export type Request = {
  readonly method: "GET" | "HEAD" | "POST";
  readonly carrier: Carrier;
  readonly path: string;
  /** The resource whose fields the options name. */
  readonly resource: ResourceName;
  readonly options: Texts;
  readonly headers: Texts;
  /** Fields that the options name: those that the caller may see, preferably those partly visible, those that are hidden, or any. */
  readonly aim: "seen" | "partial" | "hidden" | "any";
};

const pick = <T extends string>(...texts: readonly T[]) => fc.constantFrom(...texts);

/** Texts with each member in about one of `every` cases. */
const some = (members: Readonly<Record<string, fc.Arbitrary<string>>>, every: number): fc.Arbitrary<Texts> =>
  fc
    .tuple(
      ...Object.entries(members).map(([name, text]) =>
        fc.oneof(
          { weight: every - 1, arbitrary: fc.constant([]) },
          text.map((value) => [[name, value]]),
        ),
      ),
    )
    .map((all) => Object.fromEntries(all.flat()) as Texts);

const formats = pick(
  "none",
  "minimal",
  "full",
  "minimal;IEEE754Compatible=true",
  "full;IEEE754Compatible=true",
).map((metadata) => `application/json;odata.metadata=${metadata}`);

const headers = some(
  {
    accept: fc.oneof(formats, pick("application/xml", "text/csv", "*/*")),
    "if-none-match": pick("*", '"a"'),
    "if-match": pick("*", '"a"'),
    prefer: pick(
      "maxpagesize=1",
      "odata.maxpagesize=2",
      "maxpagesize=x",
      "omit-values=nulls",
      "track-changes",
      "track-changes, maxpagesize=2",
      "odata.track-changes, maxpagesize=5",
    ),
    "odata-maxversion": pick("4.0", "4.01", "4.01", "5.0"),
  },
  5,
);

type Shape = {
  readonly resource: ResourceName;
  readonly path: fc.Arbitrary<string>;
  readonly options?: fc.Arbitrary<Texts>;
};

const shaped = ({ resource, path, options = fc.constant({}) }: Shape): fc.Arbitrary<Request> =>
  fc.record({
    method: fc.oneof({ weight: 12, arbitrary: pick("GET") }, pick("HEAD", "POST")),
    carrier: fc.oneof({ weight: 8, arbitrary: pick("address") }, pick("query", "batch")),
    path,
    resource: fc.constant(resource),
    options,
    headers,
    aim: pick("seen", "partial", "partial", "hidden", "any"),
  });

const ofEach = (shape: (resource: ResourceName) => Shape): fc.Arbitrary<Request> =>
  fc.oneof(
    ...resourceNames.map((resource) => ({
      weight: resource === "Property" ? 4 : 1,
      arbitrary: shaped(shape(resource)),
    })),
  );

const placekeys = fc
  .tuple(pick("222-222", "223-223"), pick(...places.map(({ where }) => where)))
  .map((parts) => parts.join("@"));
const placekey = pick("222-222@8t2-fjb-26k", "223-223@8t2-fjb-45f", "@8t2-fjb-26k", "Austin");
const boolean = pick("true", "false", "1");

const both = (a: fc.Arbitrary<Texts>, b: fc.Arbitrary<Texts>) =>
  fc.tuple(a, b).map(([one, other]) => ({ ...one, ...other }));

/** Options of a collection that the reference model supports. */
const plainOptions = (resource: ResourceName): fc.Arbitrary<Texts> =>
  both(
    some({ $filter: filtersOf(resource), $orderby: ordersOf(resource), $count: pick("true", "false") }, 2),
    some(
      {
        $select: selectsOf(resource),
        $top: pick("0", "1", "2", "3", "5"),
        $skip: pick("0", "1", "3"),
        $ignorecase: pick("true", "false"),
        $ignorenulls: pick("true", "false"),
      },
      5,
    ),
  );

const fileFormats = ["csv", "geojson", "jsonl"] as const;

const rareOptions: fc.Arbitrary<Texts> = some(
  {
    placekey,
    $format: pick("json", "xml", ";", ...fileFormats),
    $search: pick("Oven"),
    $skiptoken: pick("x", "AAAA"),
    $deltatoken: pick("x", "AAAA"),
    $top: pick("-1", "1001"),
    $nope: pick("1"),
    custom: pick("1"),
  },
  12,
);

/** Related records, also those of an own field that a caller may not see. */
const expand = pick(
  "Media",
  "Media($select=MediaKey;$orderby=Order desc;$count=true;$top=1)",
  "Media/$count",
  "ListAgent($select=MemberKey;$expand=Office($select=OfficeName)),ListOffice",
  "BuyerAgent/$ref,OpenHouses",
  "Office,Media",
  "OfficeBroker($expand=Media($top=1))",
  "Listing($select=ListingKey,City;$expand=Media)",
  "*",
);

/** Computed properties, also with the names of fields that a caller may not see. */
const compute = pick(
  "length(City) as Letters",
  "ListPrice mul 2 as Twice,Twice add 1 as More",
  "concat(PublicRemarks,'x') as Remarked",
  "1 add 1 as ListPrice",
  "MemberEmail as Address",
  "year(ModificationTimestamp) as Year",
);

const search = pick("Austin", "oven OR pool", "NOT Austin", '"Main St"', "o'brien", "a AND b");

/** Aggregates, and attempts to learn of one record by them. */
const apply = pick(
  "aggregate($count as N)",
  "groupby((City),aggregate($count as N,ListPrice with sum as Total))",
  "groupby((City,PostalCode),aggregate(ListPrice with average as Mean))/filter(Mean gt 1)/topcount(2,Mean)",
  "groupby((StandardStatus))",
  "filter(ListPrice gt 1)/aggregate($count as N,ListPrice with sum as Total)",
  "filter(City ne 'Austin')/groupby((City),aggregate(PublicRemarks with countdistinct as Kinds))",
  "concat(aggregate($count as N),groupby((City),aggregate($count as M)))",
  "groupby((City),filter(ListPrice gt 300000)/aggregate(ListPrice with sum as Total))",
  "compute(length(PublicRemarks) as Letters)/groupby((Letters),aggregate($count as N))",
  "groupby((Latitude),aggregate(Longitude with sum as Total))/aggregate(Total with max as Most)",
  "search(Austin)/aggregate($count as N)",
  "topcount(1,ListPrice)/aggregate(ListPrice with sum as One)",
  "aggregate(ListPrice with max as Most)",
  "topcount(2,ListPrice)",
  "groupby((ListAgent/MemberEmail))",
);

const extended = (resource: ResourceName): fc.Arbitrary<Texts> =>
  fc.oneof(
    both(plainOptions(resource), some({ $search: search }, 1)),
    both(plainOptions(resource), some({ $compute: compute, $search: search }, 2)),
    both(some({ $count: boolean, $top: pick("1", "2"), $skip: pick("1") }, 3), fc.record({ $apply: apply })),
    fc.record({
      $expand: pick("Media($compute=length(ShortDescription) as Letters)", "*($compute=1 as One)"),
    }),
  );

const collectionOf = (resource: ResourceName) => fc.constant(`/reso/odata/${resource}`);

/** Requests for collections that the reference model can answer. */
export const plainRequests: fc.Arbitrary<Request> = ofEach((resource) => ({
  resource,
  path: collectionOf(resource),
  options: plainOptions(resource),
})).map((request) => ({ ...request, method: "GET", carrier: "address", headers: {} }));

const entityOf = (resource: ResourceName) =>
  fc.oneof(
    pick(...keys[resource], absentKey, "", "O''Fallon").map((key) => `/reso/odata/${resource}('${key}')`),
    pick(...keys[resource], absentKey).map((key) => `/reso/odata/${resource}/${key}`),
  );

const propertyOf = (resource: ResourceName) =>
  fc
    .tuple(entityOf(resource), pick(...universeSet(resource).type.properties.keys(), "Nope"))
    .map(([path, name]) => `${path}/${name}`);

/** Related records whose changes are tracked. */
const trackedExpands: Partial<Readonly<Record<ResourceName, fc.Arbitrary<string>>>> = {
  Property: pick(
    "Media",
    "Media/$count",
    "Media($select=MediaKey;$orderby=Order desc;$count=true;$top=1)",
    "OpenHouses,ListAgent($select=MemberKey;$expand=Office)",
  ),
  Member: pick("Office", "Office($select=OfficeKey)"),
  OpenHouse: pick("Listing", "Listing($select=ListingKey,City;$expand=Media)"),
};

const trackedOf = (resource: ResourceName) => {
  const $expand = trackedExpands[resource];
  return shaped({
    resource,
    path: collectionOf(resource),
    options: both(
      some({ $select: selectsOf(resource), $filter: filtersOf(resource), $top: pick("0") }, 6),
      $expand === undefined ? fc.constant({}) : some({ $expand }, 2),
    ),
  });
};

/** Requests after whose records the changes are asked for, on pages that mostly hold all records. */
const tracked: fc.Arbitrary<Request> = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: trackedOf("Property") }, ...resourceNames.map(trackedOf)),
    pick("track-changes, maxpagesize=8", "track-changes", "maxpagesize=2, odata.track-changes"),
    pick("4.0", "4.01"),
  )
  .map(([request, prefer, version]) => ({
    ...request,
    method: "GET",
    headers: { prefer, "odata-maxversion": version },
  }));

/** Number of the first event: the time of all requests, in microseconds. */
const firstEvent = now * 1_000_000;
const eventNumber = pick("0", "5", ...["0", "1", "4", "20"].map((more) => String(firstEvent + Number(more))));

/** Requests for events. Two services that a customer cannot tell apart get the same ones, so that they make the same events. */
const eventRequests: fc.Arbitrary<Request> = fc
  .oneof(
    {
      weight: 8,
      arbitrary: shaped({
        resource: "Property",
        path: pick("/reso/odata/EntityEvent", "/reso/odata/EntityEvent", "/reso/odata/EntityEvent/$count"),
        options: some(
          {
            $filter: fc
              .tuple(
                pick("EntityEventSequence gt ", "EntityEventSequence le "),
                eventNumber,
                pick(
                  "",
                  "",
                  " and ResourceName eq 'Property'",
                  " and ResourceRecordKey eq 'p1'",
                  " or false",
                ),
              )
              .map((parts) => parts.join("")),
            $orderby: pick("EntityEventSequence", "EntityEventSequence desc", "ResourceName"),
            $select: pick("ResourceRecordKey", "EntityEventSequence,ResourceRecordUrl", "Customer"),
            $count: pick("true"),
            $top: pick("0", "1", "3"),
            $skip: pick("1", "3"),
          },
          3,
        ),
      }),
    },
    shaped({
      resource: "Property",
      path: eventNumber.map((number) => `/reso/odata/EntityEvent(${number})`),
    }),
  )
  // A service with another model has other events.
  .map((request) => ({ ...request, aim: "seen" as const }));

/** Requests for each kind of path under the OData root. */
const ofAddress: Readonly<Record<ResourcePath["kind"], fc.Arbitrary<Request>>> = {
  ServiceDocument: shaped({
    resource: "Property",
    path: pick("/reso/odata", "/reso/odata/"),
    options: some({ $format: pick("json", "xml"), $top: pick("1") }, 4),
  }),
  Metadata: shaped({
    resource: "Property",
    path: fc.constant("/reso/odata/$metadata"),
    options: some({ $format: pick("xml", "json", "application/xml") }, 4),
  }),
  Collection: fc.oneof(
    { weight: 6, arbitrary: plainRequests },
    {
      weight: 3,
      arbitrary: ofEach((resource) => ({
        resource,
        path: collectionOf(resource),
        options: both(plainOptions(resource), rareOptions),
      })),
    },
    {
      weight: 2,
      arbitrary: ofEach((resource) => ({
        resource,
        path: collectionOf(resource),
        options: both(plainOptions(resource), some({ $expand: expand }, 1)),
      })),
    },
    {
      weight: 4,
      arbitrary: ofEach((resource) => ({
        resource,
        path: collectionOf(resource),
        options: extended(resource),
      })),
    },
    { weight: 6, arbitrary: tracked },
    shaped({
      resource: "Property",
      path: collectionOf("Property"),
      options: both(plainOptions("Property"), some({ placekey }, 1)),
    }),
    shaped({
      resource: "Property",
      path: pick("/reso/odata/Field", "/reso/odata/Field/$count", "/reso/odata/Field('Property-ListPrice')"),
      options: some(
        {
          $filter: pick("FieldName eq 'ListPrice'", "ResourceName eq 'Member'", "contains(FieldName,'a')"),
          $orderby: pick("FieldName desc", "ModificationTimestamp"),
          $top: pick("2", "500"),
          $count: boolean,
        },
        2,
      ),
    }),
    {
      weight: 2,
      arbitrary: ofEach((resource) => ({
        resource,
        path: collectionOf(resource),
        options: both(plainOptions(resource), some({ $format: pick(...fileFormats) }, 1)),
      })),
    },
  ),
  Count: ofEach((resource) => ({
    resource,
    path: fc.constant(`/reso/odata/${resource}/$count`),
    options: fc.oneof(
      {
        weight: 3,
        arbitrary: some({ $filter: filtersOf(resource), $ignorecase: boolean, $top: pick("1") }, 2),
      },
      some({ $search: search, $apply: apply }, 2),
    ),
  })),
  Property: ofEach((resource) => ({ resource, path: propertyOf(resource) })),
  ItemCount: ofEach((resource) => ({
    resource,
    path: propertyOf(resource).map((path) => `${path}/$count`),
  })),
  Value: ofEach((resource) => ({ resource, path: propertyOf(resource).map((path) => `${path}/$value`) })),
  Entity: ofEach((resource) => ({
    resource,
    path: entityOf(resource),
    options: some(
      {
        $select: selectsOf(resource),
        $ignorenulls: boolean,
        $top: pick("1"),
        $expand: expand,
        $compute: compute,
      },
      5,
    ),
  })),
};

/** Requests to each JSON endpoint, by its path as the application declares it. `prov:<ListingKey>` stands for the provisional id of that listing's property. */
const ofEndpoint = {
  "/v1/properties/{:id}": shaped({
    resource: "Property",
    path: fc
      .oneof(
        { weight: 3, arbitrary: placekeys },
        { weight: 3, arbitrary: pick(...keys.Property).map((key) => `prov:${key}`) },
        pick(
          "",
          "p0",
          "%zz",
          "%00",
          "prov:01ARZ3NDEKTSV4RRFFQ69G5FAV",
          "@8t2-fjb-26k",
          "222-222@8t2-fjb-26k/",
        ),
      )
      .map((id) => `/v1/properties/${id}`),
    options: some({ $select: pick("City"), id: pick("1") }, 8),
  }),
  "/v1/listings/{:listing_key}": shaped({
    resource: "Property",
    path: pick(...keys.Property, absentKey, "", "%zz", "%00", "p0/").map((key) => `/v1/listings/${key}`),
    options: some({ $select: pick("City"), id: pick("1") }, 8),
  }),
  "/v1/field-completeness": shaped({
    resource: "Property",
    path: pick("/v1/field-completeness"),
    options: both(
      some(
        {
          geography: pick(
            "national:US",
            "state:TX",
            "state:OR",
            "zip:78701",
            "zip:78702",
            "county:TX/Travis",
            "county:OR/Deschutes",
            "state:tx",
          ),
        },
        2,
      ),
      some({ osn: pick(...systems, ""), source: pick("mls", ""), limit: pick("1") }, 6),
    ),
  }),
  "/v1/map-grid": shaped({
    resource: "Property",
    path: pick("/v1/map-grid"),
    options: both(
      some({ filter: filtersOf("Property"), limit: pick("1") }, 3),
      some(
        {
          box: pick("-98,30,-97,31", "-180,-90,180,90", "-124,40,-120,46", "1,2"),
          cells: pick("1", "4", "128", "0"),
        },
        2,
      ),
    ),
  }),
  "/v1/account/resources": shaped({
    resource: "Property",
    path: pick("/v1/account/resources"),
    options: some({ limit: pick("1") }, 8),
  }),
  "/v1/mls-profiles": shaped({
    resource: "Property",
    path: pick("/v1/mls-profiles"),
    options: some({ limit: pick("1") }, 8),
  }),
} as const satisfies Record<string, fc.Arbitrary<Request>>;

/** Calls of the tools for language models, see `carriedBy`. */
const toolCalls: fc.Arbitrary<Request> = fc.oneof(
  ofEach((resource) => ({
    resource,
    path: pick("/mcp/query"),
    options: both(
      fc.constant({ set: resource }),
      some(
        {
          filter: filtersOf(resource),
          select: selectsOf(resource),
          orderby: ordersOf(resource),
          top: pick("1", "2", "50", "0"),
          skip: pick("1", "2"),
        },
        2,
      ),
    ),
  })),
  ofEach((resource) => ({
    resource,
    path: pick("/mcp/count"),
    options: both(fc.constant({ set: resource }), some({ filter: filtersOf(resource) }, 1)),
  })),
  ofEach((resource) => ({
    resource,
    path: pick("/mcp/describe"),
    options: both(
      fc.constant({ set: resource }),
      some({ about: pick("City", "Latitude", "ListPrice", "location", "price", "e", "MemberEmail") }, 1),
    ),
  })),
  shaped({
    resource: "Property",
    path: pick("/mcp/property"),
    options: some({ id: fc.oneof(placekeys, pick(...keys.Property, absentKey)) }, 1),
  }),
  shaped({
    resource: "Property",
    path: pick("/mcp/coverage", "/mcp/nope"),
    options: both(fc.constant({ fields: "City,ListPrice" }), some({ geography: pick("state:TX", "x") }, 2)),
  }),
);

const at = (...paths: readonly string[]) => shaped({ resource: "Property", path: pick(...paths) });

/** Requests to each route, by its path as the application declares it. Routes without an entry are not tested. */
export const requestsOf = {
  "/": at("/"),
  "/demo-keys": at("/demo-keys", "/demo-keys/"),
  "/explorer": at("/explorer", "/explorer/", "/explorer/swagger-ui.css"),
  "/favicon.ico": at("/favicon.ico"),
  "/reference": at("/reference"),
  "/reference/start.js": at("/reference/start.js"),
  "/reference/swagger-ui-bundle.js": at("/reference/swagger-ui-bundle.js"),
  "/reference/swagger-ui.css": at("/reference/swagger-ui.css"),
  "/robots.txt": at("/robots.txt"),
  "/health/live": at("/health/live"),
  "/health/ready": at("/health/ready"),
  "/openapi.json": at("/openapi.json"),
  "/mcp": fc.oneof({ weight: 9, arbitrary: toolCalls }, at("/mcp", "/mcp?x=1")),
  ...ofEndpoint,
  "/v1": at("/v1", "/v1/properties", "/v1/nope", "/v1/mls-profiles/", "/v1/account"),
  "/reso/odata": fc.oneof(
    { weight: 24, arbitrary: ofAddress.Collection },
    { weight: 8, arbitrary: ofAddress.Entity },
    { weight: 8, arbitrary: ofAddress.Property },
    { weight: 6, arbitrary: ofAddress.Value },
    { weight: 4, arbitrary: ofAddress.ItemCount },
    { weight: 6, arbitrary: ofAddress.Count },
    { weight: 8, arbitrary: eventRequests },
    ofAddress.ServiceDocument,
    ofAddress.Metadata,
    at("/reso/odata/Teams", "/reso/odata/Nope", "/reso/odata/Property('p0", "/reso/odata/%zz"),
    at("/reso/odata/Property(ListingId='1')", "/reso/odata/Property('p0')/City", "/reso/odata/$batch"),
  ),
  "/assets": at("/assets", "/assets/nope.js", "/assets/%2e%2e/index.html", "/assets/../index.html"),
} as const satisfies Record<string, fc.Arbitrary<Request>>;

/** Requests to the JSON endpoints, most of them to those that read records. */
const v1Requests: fc.Arbitrary<Request> = fc.oneof(
  { weight: 8, arbitrary: requestsOf["/v1/properties/{:id}"] },
  { weight: 6, arbitrary: requestsOf["/v1/listings/{:listing_key}"] },
  { weight: 6, arbitrary: requestsOf["/v1/field-completeness"] },
  { weight: 6, arbitrary: requestsOf["/v1/map-grid"] },
  requestsOf["/v1/account/resources"],
  requestsOf["/v1/mls-profiles"],
  requestsOf["/v1"],
);

/** Requests to all routes, and to unknown paths. */
export const requests: fc.Arbitrary<Request> = fc.oneof(
  { weight: 40, arbitrary: requestsOf["/reso/odata"] },
  { weight: 10, arbitrary: v1Requests },
  { weight: 10, arbitrary: requestsOf["/mcp"] },
  { weight: 2, arbitrary: fc.oneof(...Object.values(requestsOf)) },
  at("/v2", "/reso", "/reso/odatax"),
);
