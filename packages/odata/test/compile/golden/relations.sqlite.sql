-- Office/Name eq 'x'
select "Key" as "Key" from "House" where (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) = ? order by "Key" limit +?
-- ["x",10]

-- Office/Name ne 'x'
select "Key" as "Key" from "House" where (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) is not ? order by "Key" limit +?
-- ["x",10]

-- Office/Broker/Name eq null
select "Key" as "Key" from "House" where (select (select "item1_1" from (select "Key" as "item1_0", "Name" as "item1_1" from "Agent") as "item1" where "item1_0" = "item0_1" limit 1) from (select "Key" as "item0_0", "BrokerKey" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) is null order by "Key" limit +?
-- [10]

-- Office eq null
select "Key" as "Key" from "House" where (select 1 from (select "Key" as "item0_0" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) is null order by "Key" limit +?
-- [10]

-- Address/City eq 'x'
select "Key" as "Key" from "House" where "AddressCity" = ? order by "Key" limit +?
-- ["x",10]

-- Address ne null
select "Key" as "Key" from "House" where "AddressKind" is not null order by "Key" limit +?
-- [10]

-- Address/Agent/Name eq 'x'
select "Key" as "Key" from "House" where (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Agent") as "item0" where "item0_0" = "AddressAgent" limit 1) = ? order by "Key" limit +?
-- ["x",10]

-- Detail/Inner/Area gt 1
select "Key" as "Key" from "House" where case when json_valid("Json") then json_extract("Json", ?) end > ? order by "Key" limit +?
-- ["$.\"Detail\".\"Inner\".\"Area\"","1n",10]

-- Detail ne null
select "Key" as "Key" from "House" where nullif(case when json_valid("Json") then "Json" -> ? end, 'null') is not null order by "Key" limit +?
-- ["$.\"Detail\"",10]

-- Parts/any(p:p/Name eq 'x' and p/Tags/any(t:t eq Name))
select "Key" as "Key" from "House" where exists (select 1 from (select value as "item0" from (select "Path" as "an array"), json_each(case when json_valid("an array") then "an array" end) where typeof(key) = 'integer') as "item0" where (case when json_valid("item0"."item0") then json_extract("item0"."item0", ?) end = ? and exists (select 1 from (select value as "item1" from json_each(case when json_valid(case when json_valid("item0"."item0") then "item0"."item0" -> ? end) then case when json_valid("item0"."item0") then "item0"."item0" -> ? end end) where typeof(key) = 'integer') as "item1" where "item1"."item1" is "Name"))) order by "Key" limit +?
-- ["$.\"Name\"","x","$.\"Tags\"","$.\"Tags\"",10]

-- Rooms/any()
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind") order by "Key" limit +?
-- [10]

-- Rooms/any(r:r/Area gt 12)
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Area" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and "item0_2" > ?) order by "Key" limit +?
-- ["12n",10]

-- Rooms/all(r:contains(r/Name,'x'))
select "Key" as "Key" from "House" where not (exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Name" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and not ((instr("item0_2", ?) > 0))) or exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Name" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and (((instr("item0_2", ?) > 0))) is null)) order by "Key" limit +?
-- ["x","x",10]

-- not Rooms/any(r:contains(r/Name,'x'))
select "Key" as "Key" from "House" where not case when exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Name" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and ((instr("item0_2", ?) > 0))) then 1 when exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Name" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and (((instr("item0_2", ?) > 0))) is null) then null else 0 end order by "Key" limit +?
-- ["x","x",10]

-- Rooms/any(r:r/House/Name eq Name and r/Address/City eq $it/Address/City)
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Parent" as "item0_2", "AddressCity" as "item0_3" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and ((select "item1_1" from (select "Key" as "item1_0", "Name" as "item1_1" from "House") as "item1" where "item1_0" = "item0_2" limit 1) is "Name" and "item0_3" is "AddressCity")) order by "Key" limit +?
-- [10]

-- Children/any(c:c/Children/any(d:d/Name eq c/Name and d/Key ne Key))
select "Key" as "Key" from "House" where exists (select 1 from (select "ParentKey" as "item0_0", "Key" as "item0_1", "Name" as "item0_2" from "House") as "item0" where "item0_0" = "Key" and exists (select 1 from (select "ParentKey" as "item1_0", "Name" as "item1_1", "Key" as "item1_2" from "House") as "item1" where "item1_0" = "item0_1" and ("item1_1" is "item0_2" and "item1_2" <> "Key"))) order by "Key" limit +?
-- [10]

-- Office/Agents/any(a:a/Tags/any(t:t eq Name))
select "Key" as "Key" from "House" where exists (select 1 from (select "OfficeKey" as "item0_0", "Tags" as "item0_1" from "Agent") as "item0" where "item0_0" = (select "item1_1" from (select "Key" as "item1_0", "Key" as "item1_1" from "Office") as "item1" where "item1_0" = "OfficeKey" limit 1) and exists (select 1 from (select value as "item1" from json_each(case when json_valid("item0_1") then "item0_1" end) where typeof(key) = 'integer') as "item1" where "item1"."item1" is "Name")) order by "Key" limit +?
-- [10]

-- Rooms/$count gt 2
select "Key" as "Key" from "House" where (select count(*) from (select "Parent" as "item0_0", "Kind" as "item0_1" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind") > ? order by "Key" limit +?
-- ["2n",10]

-- Rooms/$count($filter=Area gt 12) gt 2
select "Key" as "Key" from "House" where (select count(*) from (select "Parent" as "item0_0", "Kind" as "item0_1", "Area" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and "item0_2" > ?) > ? order by "Key" limit +?
-- ["12n","2n",10]

-- Tags/any(t:t eq 'x')
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Name" as "item0_1" from "HouseTag") as "item0" where "item0_0" = "Key" and "item0_1" = ?) order by "Key" limit +?
-- ["x",10]

-- 'x' in Tags
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Name" as "item0_1" from "HouseTag") as "item0" where "item0_0" = "Key" and "item0_1" = ?) order by "Key" limit +?
-- ["x",10]

-- hassubset(Tags,["x"])
select "Key" as "Key" from "House" where (("odata_hassubset_strings_strings"((select json_group_array("item0_1" order by "item0_2") from (select "Parent" as "item0_0", "Name" as "item0_1", "Key" as "item0_2" from "HouseTag") as "item0" where "item0_0" = "Key"), ?))) order by "Key" limit +?
-- ["[\"x\"]",10]

-- Office/Tags/$count eq 0
select "Key" as "Key" from "House" where (select count(*) from (select "Parent" as "item0_0", "Name" as "item0_1" from "OfficeTag") as "item0" where "item0_0" = (select "item1_1" from (select "Key" as "item1_0", "Key" as "item1_1" from "Office") as "item1" where "item1_0" = "OfficeKey" limit 1)) = ? order by "Key" limit +?
-- ["0n",10]

-- Office/Name desc
select "Key" as "Key" from "House" where 1 order by (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) desc, "Key" limit +?
-- [10]

-- Rooms/$count desc
select "Key" as "Key" from "House" where 1 order by (select count(*) from (select "Parent" as "item0_0", "Kind" as "item0_1" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind") desc, "Key" limit +?
-- [10]

-- Address/City
select "Key" as "Key" from "House" where 1 order by "AddressCity", "Key" limit +?
-- [10]

-- Fee divby 4 as Quarter,Quarter add 1 as More & More gt 2 & Quarter desc
select "Key" as "Key", "odata_cast_decimal_string"("odata_add_decimal_decimal"("odata_divby_decimal_decimal"("odata_number"("Fee"), ?), ?)) as "More" from "House" where "odata_add_decimal_decimal"("odata_divby_decimal_decimal"("odata_number"("Fee"), ?), ?) > ? order by "odata_divby_decimal_decimal"("odata_number"("Fee"), ?) desc, "Key" limit +?
-- ["2500004","2500001","2500004","2500001","2500002","2500004",10]

-- Office($select=Name)
select "$parent", "Name" as "Name", "Key" as "$key0" from (select key as "$parent", json_extract(value, ?) as "$given0" from json_each(?)) as "$keys" cross join (select "Key" as "$row_0", "OfficeKey" as "$row_1" from "House") as "$row" cross join "Office" where "$row_0" = "$given0" and "Key" = "$row_1" and 1 order by "$parent", "Key"
-- ["$[0]","[[1],[2]]"]

-- Rooms($select=Name;$filter=Area gt 12)
select "$parent", "Name" as "Name", "Key" as "$key0" from (select key as "$parent", json_extract(value, ?) as "$given0" from json_each(?)) as "$keys" cross join (select "Key" as "$row_0", "Key" as "$row_1", "Kind" as "$row_2" from "House") as "$row" cross join "Room" where "$row_0" = "$given0" and "Parent" = "$row_1" and "Kind" = "$row_2" and "Area" > ? order by "$parent", "Key"
-- ["$[0]","[[1],[2]]","12n"]

-- Rooms($select=Name;$orderby=Area desc;$top=2;$skip=1)
select * from (select "$parent", "Name" as "Name", "Key" as "$key0", row_number() over (partition by "$parent" order by "Area" desc, "Key") as "$place" from (select key as "$parent", json_extract(value, ?) as "$given0" from json_each(?)) as "$keys" cross join (select "Key" as "$row_0", "Key" as "$row_1", "Kind" as "$row_2" from "House") as "$row" cross join "Room" where "$row_0" = "$given0" and "Parent" = "$row_1" and "Kind" = "$row_2" and 1) as "$page" where "$place" > ? and "$place" <= ? order by "$parent", "$place"
-- ["$[0]","[[1],[2]]",1,3]

-- Children($select=Name;$filter=Office/Name eq 'x')
select "$parent", "Name" as "Name", "Key" as "$key0" from (select key as "$parent", json_extract(value, ?) as "$given0" from json_each(?)) as "$keys" cross join (select "Key" as "$row_0", "Key" as "$row_1" from "House") as "$row" cross join "House" where "$row_0" = "$given0" and "ParentKey" = "$row_1" and (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) = ? order by "$parent", "Key"
-- ["$[0]","[[1],[2]]","x"]

-- Rooms/$count($filter=Area gt 12)
select "$parent", count(*) as "count" from (select key as "$parent", json_extract(value, ?) as "$given0" from json_each(?)) as "$keys" cross join (select "Key" as "$row_0", "Key" as "$row_1", "Kind" as "$row_2" from "House") as "$row" cross join "Room" where "$row_0" = "$given0" and "Parent" = "$row_1" and "Kind" = "$row_2" and "Area" > ? group by "$parent"
-- ["$[0]","[[1],[2]]","12n"]
