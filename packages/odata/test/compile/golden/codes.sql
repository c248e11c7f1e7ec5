-- City eq StandardStatus
select "ListingKey" as "ListingKey" from "property" where (select "name" from "city" where "number" = "CityNumber") is "StandardStatus" order by "ListingKey" limit +?
-- [10]

-- not (City eq 'York')
select "ListingKey" as "ListingKey" from "property" where not coalesce(("CityNumber" in (?)), 0) order by "ListingKey" limit +?
-- [7,10]

-- contains(City,'York') or startswith(City,'N')
select "ListingKey" as "ListingKey" from "property" where (((instr((select "name" from "city" where "number" = "CityNumber"), ?) > 0)) or ((select "name" from "city" where "number" = "CityNumber") >= ? and (select "name" from "city" where "number" = "CityNumber") < ?)) order by "ListingKey" limit +?
-- ["York","N","O",10]

-- endswith(City,'k') and length(City) gt 3
select "ListingKey" as "ListingKey" from "property" where ((("odata_endswith_string_string"((select "name" from "city" where "number" = "CityNumber"), ?))) and (length((select "name" from "city" where "number" = "CityNumber"))) > ?) order by "ListingKey" limit +?
-- ["k","3n",10]

-- City eq 'a' or City eq 'b' or City eq 'c' or City eq 'd' or City eq 'e' or City eq 'f' or City eq 'g' or City eq 'h' or City eq 'i'
select "ListingKey" as "ListingKey" from "property" where ((("CityNumber" in (?)) or ("CityNumber" in (?)) or "CityNumber" in (select "number" from "city" where "name" in (?)) or "CityNumber" in (select "number" from "city" where "name" in (?)) or "CityNumber" in (select "number" from "city" where "name" in (?))) or ("CityNumber" in (select "number" from "city" where "name" in (?)) or "CityNumber" in (select "number" from "city" where "name" in (?)) or "CityNumber" in (select "number" from "city" where "name" in (?)) or "CityNumber" in (select "number" from "city" where "name" in (?)))) order by "ListingKey" limit +?
-- [9,10,"c","d","e","f","g","h","i",10]

-- City in ('York','Bend')
select "ListingKey" as "ListingKey" from "property" where ("CityNumber" in (select "number" from "city" where "name" in (?, ?))) order by "ListingKey" limit +?
-- ["York","Bend",10]

-- City in ('York','Eden','a')
select "ListingKey" as "ListingKey" from "property" where (("CityNumber" in (?, ?) or "CityNumber" in (?))) order by "ListingKey" limit +?
-- [7,8,9,10]

-- not (City in ('York',null))
select "ListingKey" as "ListingKey" from "property" where not (coalesce(("CityNumber" in (?)), 0) or (select "name" from "city" where "number" = "CityNumber") is null) order by "ListingKey" limit +?
-- [7,10]
