-- ListPrice gt 100000
select "ListingKey" as "ListingKey" from "property" where "ListPrice" > ? order by "ListingKey" limit +?
-- ["10000000n",10]

-- 100000 lt ListPrice
select "ListingKey" as "ListingKey" from "property" where "ListPrice" > ? order by "ListingKey" limit +?
-- ["10000000n",10]

-- ListPrice gt 10.005
select "ListingKey" as "ListingKey" from "property" where "ListPrice" > ? order by "ListingKey" limit +?
-- ["1000n",10]

-- ListPrice eq 10.005
select "ListingKey" as "ListingKey" from "property" where 0 order by "ListingKey" limit +?
-- [10]

-- StandardStatus eq 'Active'
select "ListingKey" as "ListingKey" from "property" where "StandardStatus" = ? order by "ListingKey" limit +?
-- ["Active",10]

-- StandardStatus ne 'Active'
select "ListingKey" as "ListingKey" from "property" where "StandardStatus" is not ? order by "ListingKey" limit +?
-- ["Active",10]

-- StandardStatus eq null
select "ListingKey" as "ListingKey" from "property" where "StandardStatus" is null order by "ListingKey" limit +?
-- [10]

-- ListingKey ne 'a'
select "ListingKey" as "ListingKey" from "property" where "ListingKey" <> ? order by "ListingKey" limit +?
-- ["a",10]

-- City eq StandardStatus
select "ListingKey" as "ListingKey" from "property" where "City" is "StandardStatus" order by "ListingKey" limit +?
-- [10]

-- not (ListPrice gt 100000)
select "ListingKey" as "ListingKey" from "property" where not coalesce("ListPrice" > ?, 0) order by "ListingKey" limit +?
-- ["10000000n",10]

-- not (City eq 'York')
select "ListingKey" as "ListingKey" from "property" where not coalesce("City" = ?, 0) order by "ListingKey" limit +?
-- ["York",10]

-- StandardStatus in ('Active','Pending')
select "ListingKey" as "ListingKey" from "property" where ("StandardStatus" in (?, ?)) order by "ListingKey" limit +?
-- ["Active","Pending",10]

-- not (StandardStatus in ('Active',null))
select "ListingKey" as "ListingKey" from "property" where not (coalesce("StandardStatus" in (?), 0) or "StandardStatus" is null) order by "ListingKey" limit +?
-- ["Active",10]

-- contains(City,'York') or startswith(City,'N')
select "ListingKey" as "ListingKey" from "property" where (((instr("City", ?) > 0)) or ("City" >= ? and "City" < ?)) order by "ListingKey" limit +?
-- ["York","N","O",10]

-- Appliances/any(a:a eq 'Oven')
select "ListingKey" as "ListingKey" from "property" where exists (select 1 from (select value as "item0" from json_each(case when json_valid("Appliances") then "Appliances" end) where typeof(key) = 'integer') as "item0" where "item0"."item0" = ?) order by "ListingKey" limit +?
-- ["Oven",10]

-- not Appliances/all(a:contains(a,'x'))
select "ListingKey" as "ListingKey" from "property" where not case when exists (select 1 from (select value as "item0" from json_each(case when json_valid("Appliances") then "Appliances" end) where typeof(key) = 'integer') as "item0" where not ((instr("item0"."item0", ?) > 0))) then 0 when exists (select 1 from (select value as "item0" from json_each(case when json_valid("Appliances") then "Appliances" end) where typeof(key) = 'integer') as "item0" where (((instr("item0"."item0", ?) > 0))) is null) then null else 1 end order by "ListingKey" limit +?
-- ["x","x",10]

-- ModificationTimestamp gt 2024-01-15T08:30:00.123456Z
select "ListingKey" as "ListingKey" from "property" where "ModificationTimestamp" > ? order by "ListingKey" limit +?
-- ["2024-01-15T08:30:00.123Z",10]

-- ModificationTimestamp gt 2024-01-15T08:30:00Z sub duration'P1D'
select "ListingKey" as "ListingKey" from "property" where "ModificationTimestamp" > ? order by "ListingKey" limit +?
-- ["2024-01-14T08:30:00.000Z",10]

-- ModificationTimestamp add duration'P1D' gt 2024-01-15T08:30:00Z
select "ListingKey" as "ListingKey" from "property" where "odata_add_datetimeoffset_duration"("odata_instant"("ModificationTimestamp"), ?) > ? order by "ListingKey" limit +?
-- ["250016864","2024-01-15T08:30:00.000000000000Z",10]

-- ListPrice div LivingArea lt 350
select "ListingKey" as "ListingKey" from "property" where "odata_div_decimal_decimal"("odata_number"("ListPrice", ?), "odata_number"("LivingArea")) < ? order by "ListingKey" limit +?
-- [2,"25000235",10]

-- ListPrice eq LivingArea
select "ListingKey" as "ListingKey" from "property" where ("ListPrice" / ?) is "LivingArea" order by "ListingKey" limit +?
-- [100,10]

-- BedroomsTotal add 1 gt Score
select "ListingKey" as "ListingKey" from "property" where "odata_add_int64_int64"("BedroomsTotal", ?) > "Score" order by "ListingKey" limit +?
-- ["1n",10]

-- endswith(City,'k') and length(City) gt 3
select "ListingKey" as "ListingKey" from "property" where ((("odata_endswith_string_string"("City", ?))) and (length("City")) > ?) order by "ListingKey" limit +?
-- ["k","3n",10]

-- hassubset(Appliances,["Oven"])
select "ListingKey" as "ListingKey" from "property" where (("odata_hassubset_strings_strings"(coalesce("Appliances", '[]'), ?))) order by "ListingKey" limit +?
-- ["[\"Oven\"]",10]

-- Appliances/$count($filter=startswith($this,'O')) gt 1
select "ListingKey" as "ListingKey" from "property" where (select count(*) from (select value as "item0" from json_each(case when json_valid("Appliances") then "Appliances" end) where typeof(key) = 'integer') as "item0" where ((instr("item0"."item0", ?) = 1))) > ? order by "ListingKey" limit +?
-- ["O","1n",10]

-- case(WaterfrontYN:ListPrice,true:0) gt 100
select "ListingKey" as "ListingKey" from "property" where case when ("WaterfrontYN") then "odata_number"("ListPrice", ?) else case when 1 then ? else null end end > ? order by "ListingKey" limit +?
-- [2,"1","2500021",10]

-- cast(BedroomsTotal,Edm.String) eq '3'
select "ListingKey" as "ListingKey" from "property" where "odata_cast_int64_string"("BedroomsTotal") = ? order by "ListingKey" limit +?
-- ["3",10]

-- City eq 'a' or City eq 'b' or City eq 'c' or City eq 'd' or City eq 'e' or City eq 'f' or City eq 'g' or City eq 'h' or City eq 'i'
select "ListingKey" as "ListingKey" from "property" where (("City" = ? or "City" = ? or "City" = ? or "City" = ? or "City" = ?) or ("City" = ? or "City" = ? or "City" = ? or "City" = ?)) order by "ListingKey" limit +?
-- ["a","b","c","d","e","f","g","h","i",10]

-- City after null
select "ListingKey" as "ListingKey", "City" as "order0", "ListingKey" as "order1" from "property" where 1 order by "City", "ListingKey" limit +?
-- [10]

-- City after ["York","a"]
select "ListingKey" as "ListingKey", "City" as "order0", "ListingKey" as "order1" from "property" where 1 and ("City", "ListingKey") > (?, ?) order by "City", "ListingKey" limit +?
-- ["York","a",10]

-- City after [null,"a"]
select * from (select "ListingKey" as "ListingKey", "City" as "order0", "ListingKey" as "order1" from "property" where 1 and "City" is null and "ListingKey" > ? order by "City", "ListingKey" limit +?) as "range0" union all select * from (select "ListingKey" as "ListingKey", "City" as "order0", "ListingKey" as "order1" from "property" where 1 and "City" is not null order by "City", "ListingKey" limit +?) as "range1" limit +?
-- ["a",10,10,10]

-- City desc after ["York","a"]
select * from (select "ListingKey" as "ListingKey", "City" as "order0", "ListingKey" as "order1" from "property" where 1 and "City" = ? and "ListingKey" > ? order by "ListingKey" limit +?) as "range0" union all select * from (select "ListingKey" as "ListingKey", "City" as "order0", "ListingKey" as "order1" from "property" where 1 and "City" < ? order by "City" desc, "ListingKey" limit +?) as "range1" union all select * from (select "ListingKey" as "ListingKey", "City" as "order0", "ListingKey" as "order1" from "property" where 1 and "City" is null order by "City", "ListingKey" limit +?) as "range2" limit +?
-- ["York","a",10,"York",10,10,10]

-- City desc after [null,"a"]
select "ListingKey" as "ListingKey", "City" as "order0", "ListingKey" as "order1" from "property" where 1 and "City" is null and "ListingKey" > ? order by "City", "ListingKey" limit +?
-- ["a",10]

-- ListPrice mul 2 desc after null
select "ListingKey" as "ListingKey", "odata_mul_decimal_decimal"("odata_number"("ListPrice", ?), ?) as "order0", "ListingKey" as "order1" from "property" where 1 order by "odata_mul_decimal_decimal"("odata_number"("ListPrice", ?), ?) desc, "ListingKey" limit +?
-- [2,"2500002",2,"2500002",10]

-- ModificationTimestamp desc,City asc after ["2024-01-15T08:30:00.000Z","York","a"]
select * from (select "ListingKey" as "ListingKey", "ModificationTimestamp" as "order0", "City" as "order1", "ListingKey" as "order2" from "property" where 1 and "ModificationTimestamp" = ? and ("City", "ListingKey") > (?, ?) order by "City", "ListingKey" limit +?) as "range0" union all select * from (select "ListingKey" as "ListingKey", "ModificationTimestamp" as "order0", "City" as "order1", "ListingKey" as "order2" from "property" where 1 and "ModificationTimestamp" < ? order by "ModificationTimestamp" desc, "City", "ListingKey" limit +?) as "range1" limit +?
-- ["2024-01-15T08:30:00.000Z","York","a",10,"2024-01-15T08:30:00.000Z",10,10]
