-- ListPrice gt 100000
select "ListingKey" as "ListingKey" from "property" where "ListPrice" > $1::numeric order by "ListingKey" collate "C" asc limit $2
-- ["100000",10]

-- 100000 lt ListPrice
select "ListingKey" as "ListingKey" from "property" where "ListPrice" > $1::numeric order by "ListingKey" collate "C" asc limit $2
-- ["100000",10]

-- ListPrice gt 10.005
select "ListingKey" as "ListingKey" from "property" where "ListPrice" > $1::numeric order by "ListingKey" collate "C" asc limit $2
-- ["10.005",10]

-- ListPrice eq 10.005
select "ListingKey" as "ListingKey" from "property" where "ListPrice" = $1::numeric order by "ListingKey" collate "C" asc limit $2
-- ["10.005",10]

-- StandardStatus eq 'Active'
select "ListingKey" as "ListingKey" from "property" where "StandardStatus" = $1::text order by "ListingKey" collate "C" asc limit $2
-- ["Active",10]

-- StandardStatus ne 'Active'
select "ListingKey" as "ListingKey" from "property" where ("StandardStatus" is distinct from $1::text) order by "ListingKey" collate "C" asc limit $2
-- ["Active",10]

-- StandardStatus eq null
select "ListingKey" as "ListingKey" from "property" where "StandardStatus" is null order by "ListingKey" collate "C" asc limit $1
-- [10]

-- ListingKey ne 'a'
select "ListingKey" as "ListingKey" from "property" where "ListingKey" <> $1::text order by "ListingKey" collate "C" asc limit $2
-- ["a",10]

-- City eq StandardStatus
select "ListingKey" as "ListingKey" from "property" where ("City" collate "C" is not distinct from "StandardStatus" collate "C") order by "ListingKey" collate "C" asc limit $1
-- [10]

-- not (ListPrice gt 100000)
select "ListingKey" as "ListingKey" from "property" where not coalesce("ListPrice" > $1::numeric, false) order by "ListingKey" collate "C" asc limit $2
-- ["100000",10]

-- not (City eq 'York')
select "ListingKey" as "ListingKey" from "property" where not coalesce("City" = $1::text, false) order by "ListingKey" collate "C" asc limit $2
-- ["York",10]

-- StandardStatus in ('Active','Pending')
select "ListingKey" as "ListingKey" from "property" where ("StandardStatus" in ($1::text, $2::text)) order by "ListingKey" collate "C" asc limit $3
-- ["Active","Pending",10]

-- not (StandardStatus in ('Active',null))
select "ListingKey" as "ListingKey" from "property" where not (coalesce("StandardStatus" in ($1::text), false) or "StandardStatus" is null) order by "ListingKey" collate "C" asc limit $2
-- ["Active",10]

-- contains(City,'York') or startswith(City,'N')
select "ListingKey" as "ListingKey" from "property" where (((strpos("City" collate "C", $1::text) > 0)) or ("City" collate "C" >= $2::text and "City" collate "C" < $3::text)) order by "ListingKey" collate "C" asc limit $4
-- ["York","N","O",10]

-- Appliances/any(a:a eq 'Oven')
select "ListingKey" as "ListingKey" from "property" where exists (select 1 from cadastre_elements("Appliances") as "item0"("an item") where cadastre_item_text("item0"."an item") = $1::text) order by "ListingKey" collate "C" asc limit $2
-- ["Oven",10]

-- not Appliances/all(a:contains(a,'x'))
select "ListingKey" as "ListingKey" from "property" where not case when exists (select 1 from cadastre_elements("Appliances") as "item0"("an item") where not ((strpos(cadastre_item_text("item0"."an item"), $1::text) > 0))) then false when exists (select 1 from cadastre_elements("Appliances") as "item0"("an item") where (((strpos(cadastre_item_text("item0"."an item"), $2::text) > 0))) is null) then null else true end order by "ListingKey" collate "C" asc limit $3
-- ["x","x",10]

-- ModificationTimestamp gt 2024-01-15T08:30:00.123456Z
select "ListingKey" as "ListingKey" from "property" where "ModificationTimestamp" > $1::timestamptz order by "ListingKey" collate "C" asc limit $2
-- ["2024-01-15 08:30:00.123456+00",10]

-- ModificationTimestamp gt 2024-01-15T08:30:00Z sub duration'P1D'
select "ListingKey" as "ListingKey" from "property" where "ModificationTimestamp" > $1::timestamptz order by "ListingKey" collate "C" asc limit $2
-- ["2024-01-14 08:30:00+00",10]

-- ModificationTimestamp add duration'P1D' gt 2024-01-15T08:30:00Z
select "ListingKey" as "ListingKey" from "property" where cadastre_instant(cadastre_instant(cadastre_picoseconds("ModificationTimestamp")) + $1::numeric) > $2::numeric order by "ListingKey" collate "C" asc limit $3
-- ["86400000000000000","1705307400000000000000",10]

-- ListPrice div LivingArea lt 350
select "ListingKey" as "ListingKey" from "property" where cadastre_quotient("ListPrice", "LivingArea") < $1::numeric order by "ListingKey" collate "C" asc limit $2
-- ["350",10]

-- ListPrice eq LivingArea
select "ListingKey" as "ListingKey" from "property" where ("ListPrice" is not distinct from "LivingArea") order by "ListingKey" collate "C" asc limit $1
-- [10]

-- BedroomsTotal add 1 gt Score
select "ListingKey" as "ListingKey" from "property" where cadastre_int64("BedroomsTotal"::numeric + $1::bigint)::numeric > cadastre_number("Score") order by "ListingKey" collate "C" asc limit $2
-- ["1n",10]

-- endswith(City,'k') and length(City) gt 3
select "ListingKey" as "ListingKey" from "property" where (((starts_with(reverse("City" collate "C"), reverse($1::text)))) and (char_length("City" collate "C")::bigint) > $2::bigint) order by "ListingKey" collate "C" asc limit $3
-- ["k","3n",10]

-- hassubset(Appliances,["Oven"])
select "ListingKey" as "ListingKey" from "property" where ((cadastre_hassubset(coalesce("Appliances", '[]'::jsonb), $1::jsonb))) order by "ListingKey" collate "C" asc limit $2
-- ["[\"Oven\"]",10]

-- Appliances/$count($filter=startswith($this,'O')) gt 1
select "ListingKey" as "ListingKey" from "property" where (select count(*) from cadastre_elements("Appliances") as "item0"("an item") where ((starts_with(cadastre_item_text("item0"."an item"), $1::text)))) > $2::bigint order by "ListingKey" collate "C" asc limit $3
-- ["O","1n",10]

-- case(WaterfrontYN:ListPrice,true:0) gt 100
select "ListingKey" as "ListingKey" from "property" where case when ("WaterfrontYN") then "ListPrice" else case when true then $1::numeric else null end end > $2::numeric order by "ListingKey" collate "C" asc limit $3
-- ["0","100",10]

-- cast(BedroomsTotal,Edm.String) eq '3'
select "ListingKey" as "ListingKey" from "property" where "BedroomsTotal"::text = $1::text order by "ListingKey" collate "C" asc limit $2
-- ["3",10]

-- City eq 'a' or City eq 'b' or City eq 'c' or City eq 'd' or City eq 'e' or City eq 'f' or City eq 'g' or City eq 'h' or City eq 'i'
select "ListingKey" as "ListingKey" from "property" where (("City" = $1::text or "City" = $2::text or "City" = $3::text or "City" = $4::text or "City" = $5::text) or ("City" = $6::text or "City" = $7::text or "City" = $8::text or "City" = $9::text)) order by "ListingKey" collate "C" asc limit $10
-- ["a","b","c","d","e","f","g","h","i",10]

-- City after null
select "ListingKey" as "ListingKey", ("City")::text as "order0", ("ListingKey")::text as "order1" from "property" where true order by "City" collate "C" asc nulls first, "ListingKey" collate "C" asc limit $1
-- [10]

-- City after ["York","a"]
select "ListingKey" as "ListingKey", ("City")::text as "order0", ("ListingKey")::text as "order1" from "property" where true and ("City" collate "C", "ListingKey" collate "C") > ($1::text, $2::text) order by "City" collate "C" asc nulls first, "ListingKey" collate "C" asc limit $3
-- ["York","a",10]

-- City after [null,"a"]
select * from (select "ListingKey" as "ListingKey", ("City")::text as "order0", ("ListingKey")::text as "order1" from "property" where true and "City" collate "C" is null and "ListingKey" collate "C" > $1::text order by "City" collate "C" asc nulls first, "ListingKey" collate "C" asc limit $2) as "range0" union all select * from (select "ListingKey" as "ListingKey", ("City")::text as "order0", ("ListingKey")::text as "order1" from "property" where true and "City" collate "C" is not null order by "City" collate "C" asc nulls first, "ListingKey" collate "C" asc limit $3) as "range1" limit $4
-- ["a",10,10,10]

-- City desc after ["York","a"]
select * from (select "ListingKey" as "ListingKey", ("City")::text as "order0", ("ListingKey")::text as "order1" from "property" where true and "City" collate "C" = $1::text and "ListingKey" collate "C" > $2::text order by "ListingKey" collate "C" asc limit $3) as "range0" union all select * from (select "ListingKey" as "ListingKey", ("City")::text as "order0", ("ListingKey")::text as "order1" from "property" where true and "City" collate "C" < $4::text order by "City" collate "C" desc nulls last, "ListingKey" collate "C" asc limit $5) as "range1" union all select * from (select "ListingKey" as "ListingKey", ("City")::text as "order0", ("ListingKey")::text as "order1" from "property" where true and "City" collate "C" is null order by "City" collate "C" asc nulls first, "ListingKey" collate "C" asc limit $6) as "range2" limit $7
-- ["York","a",10,"York",10,10,10]

-- City desc after [null,"a"]
select "ListingKey" as "ListingKey", ("City")::text as "order0", ("ListingKey")::text as "order1" from "property" where true and "City" collate "C" is null and "ListingKey" collate "C" > $1::text order by "City" collate "C" asc nulls first, "ListingKey" collate "C" asc limit $2
-- ["a",10]

-- ListPrice mul 2 desc after null
select "ListingKey" as "ListingKey", (cadastre_product("ListPrice", $1::numeric))::text as "order0", ("ListingKey")::text as "order1" from "property" where true order by cadastre_product("ListPrice", $2::numeric) desc nulls last, "ListingKey" collate "C" asc limit $3
-- ["2","2",10]

-- ModificationTimestamp desc,City asc after ["2024-01-15T08:30:00.000Z","York","a"]
select * from (select "ListingKey" as "ListingKey", ("ModificationTimestamp")::text as "order0", ("City")::text as "order1", ("ListingKey")::text as "order2" from "property" where true and "ModificationTimestamp" = $1::timestamptz and ("City" collate "C", "ListingKey" collate "C") > ($2::text, $3::text) order by "City" collate "C" asc nulls first, "ListingKey" collate "C" asc limit $4) as "range0" union all select * from (select "ListingKey" as "ListingKey", ("ModificationTimestamp")::text as "order0", ("City")::text as "order1", ("ListingKey")::text as "order2" from "property" where true and "ModificationTimestamp" < $5::timestamptz order by "ModificationTimestamp" desc, "City" collate "C" asc nulls first, "ListingKey" collate "C" asc limit $6) as "range1" limit $7
-- ["2024-01-15T08:30:00.000Z","York","a",10,"2024-01-15T08:30:00.000Z",10,10]
