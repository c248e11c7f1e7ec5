// All names are invented: common words and common names, combined at random.

// biome-ignore format: a list
export const firstNames = ["James", "Mary", "Robert", "Patricia", "José", "Jennifer", "Michael", "Linda", "David", "Elizabeth", "William", "Barbara", "Rubén", "Susan", "Joseph", "Jessica", "Thomas", "Karen", "Carlos", "Sarah", "Zoë", "Nancy", "Daniel", "Lisa", "Matthew", "Betty", "Anthony", "Sandra", "Mark", "Ashley", "Paul", "Emily", "Steven", "Kimberly", "Andrew", "Margaret", "Kenneth", "Donna", "Renée", "Michelle", "Kevin", "Carol", "Brian", "Amanda", "George", "Melissa", "Edward", "Deborah", "Ronald", "Stephanie", "Timothy", "Rebecca", "Jason", "Sharon", "Björn", "Laura", "Minh", "Cynthia", "Jacob", "Priya", "Haruto", "Yusuf", "Ayşe", "Siobhán"] as const;

// biome-ignore format: a list
export const lastNames = ["Smith", "Johnson", "Williams", "O'Fallon", "Brown", "Jones", "García", "Miller", "Davis", "Rodríguez", "Martínez", "Hernández", "López", "González", "Wilson", "Anderson", "Thomas", "Taylor", "Moore", "Jackson", "Martin", "Lee", "Pérez", "Thompson", "White", "Harris", "Sánchez", "Clark", "Ramírez", "Lewis", "Robinson", "Walker", "Young", "Allen", "King", "Wright", "Scott", "Torres", "Nguyễn", "Hill", "Flores", "Green", "Adams", "Nuñez", "Baker", "Hall", "Rivera", "Campbell", "Mitchell", "Carter", "Roberts", "D'Angelo", "McCarthy", "Smith-Jones", "Van der Berg", "Okonkwo", "Kowalski", "Ström", "Müller", "Tanaka", "Kim", "Patel", "Haddad", "Çelik"] as const;

// biome-ignore format: a list
export const streetNames = ["Main", "Oak", "Cedar", "Maple", "Pecan", "Live Oak", "Elm", "Bluebonnet", "Sunset", "Ridge", "Lake View", "Hillcrest", "River", "Creekside", "Meadow", "Willow", "Juniper", "Heron", "Osprey", "Palmetto", "Magnolia", "Cypress", "Mesquite", "Saddle", "Stagecoach", "Wagon Wheel", "Prairie", "Coyote", "Quail", "Deer Run", "Fawn", "Bobcat", "Eagle", "Hawk", "Raven", "Alder", "Hemlock", "Fir", "Spruce", "Madrona", "Huckleberry", "Salmonberry", "Trillium", "Cascade", "Rainier", "Orchard", "Vineyard", "Mill", "Station", "Harbor", "Bayshore", "Seagrape", "Coral", "Mangrove", "Pelican", "Dolphin", "Coquina", "Citrus", "Orange Blossom", "Hibiscus", "Jasmine", "Lantana", "Agave", "Yucca", "Limestone", "Granite", "Flint", "Quarry", "Windmill", "Cotton", "Harvest", "Barley", "Wheatfield", "Clover", "Fern", "Moss", "Pioneer", "Homestead", "Heritage", "Liberty", "Franklin", "Madison", "Lincoln", "St. Johns", "O'Fallon", "Piñon", "Cañada", "Sierra", "Vista Verde", "San Marcos", "Rio Grande", "Laurel", "Birch", "Aspen", "Larkspur", "Primrose", "Foxglove", "Sage", "1st", "2nd", "3rd", "4th", "5th", "12th", "23rd", "45th", "County Road 210", "Farm to Market 150"] as const;

export const streetSuffixes = [
  "Street",
  "Drive",
  "Lane",
  "Avenue",
  "Court",
  "Road",
  "Way",
  "Circle",
] as const;

// biome-ignore format: a list
export const subdivisions = ["Barton Hollow", "Canyon Mesa", "Eagle Crossing", "Fern Bluff", "Harbor Pointe", "Indian Springs", "Juniper Ridge", "Kestrel Heights", "Lake Park Estates", "Mill Creek", "North Shore", "Old Orchard", "Palm Cove", "Quail Hollow", "River Bend", "Stonegate", "Timber Trace", "Union Hill", "Vista Oaks", "Westwood", "Cypress Landing", "Mariner's Walk", "Bella Vista", "Rancho Piñon"] as const;

// biome-ignore format: a list
export const officeWords = ["Bluebonnet", "Keystone", "Landmark", "Harbor", "Summit", "Evergreen Gate", "Sunline", "Compass Rose", "Old Mill", "Riverstone", "Gulf Breeze", "High Desert", "North Star", "Cornerstone", "Piñon & Sage", "Three Rivers", "Blue Heron", "Open Door", "Hearth", "Waypoint"] as const;

export const officeEndings = [
  "Realty",
  "Properties",
  "Real Estate",
  "Homes",
  "Realty Group",
  "& Co. Real Estate",
] as const;

export const builders = [
  "Alder & Finch Homes",
  "Big Sky Builders",
  "Cobalt Homes",
  "Durable Dwellings",
  "Everhouse",
  "Foundry Homes",
] as const;

export const schools = [
  "Lincoln",
  "Washington",
  "Cedar Creek",
  "Lakeside",
  "Hillcrest",
  "Riverside",
  "Oak Grove",
  "Bay View",
  "César Chávez",
  "Pioneer",
] as const;
