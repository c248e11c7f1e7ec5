-- Office/Name eq 'x'
select "Key" as "Key" from "House" where (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) = $1::text order by "Key" asc limit $2
-- ["x",10]

-- Office/Name ne 'x'
select "Key" as "Key" from "House" where ((select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) is distinct from $1::text) order by "Key" asc limit $2
-- ["x",10]

-- Office/Broker/Name eq null
select "Key" as "Key" from "House" where (select (select "item1_1" from (select "Key" as "item1_0", "Name" as "item1_1" from "Agent") as "item1" where "item1_0" = "item0_1" limit 1) from (select "Key" as "item0_0", "BrokerKey" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) is null order by "Key" asc limit $1
-- [10]

-- Office eq null
select "Key" as "Key" from "House" where (select 1 from (select "Key" as "item0_0" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) is null order by "Key" asc limit $1
-- [10]

-- Address/City eq 'x'
select "Key" as "Key" from "House" where "AddressCity" = $1::text order by "Key" asc limit $2
-- ["x",10]

-- Address ne null
select "Key" as "Key" from "House" where "AddressKind" is not null order by "Key" asc limit $1
-- [10]

-- Address/Agent/Name eq 'x'
select "Key" as "Key" from "House" where (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Agent") as "item0" where "item0_0" = "AddressAgent" limit 1) = $1::text order by "Key" asc limit $2
-- ["x",10]

-- Detail/Inner/Area gt 1
select "Key" as "Key" from "House" where cadastre_item_integer(((("Json" -> $1::text) -> $2::text) -> $3::text), -9223372036854775808, 9223372036854775807) > $4::bigint order by "Key" asc limit $5
-- ["Detail","Inner","Area","1n",10]

-- Detail ne null
select "Key" as "Key" from "House" where nullif(("Json" -> $1::text), 'null'::jsonb) is not null order by "Key" asc limit $2
-- ["Detail",10]

-- Parts/any(p:p/Name eq 'x' and p/Tags/any(t:t eq Name))
select "Key" as "Key" from "House" where exists (select 1 from cadastre_elements("Path") as "item0"("an item") where (cadastre_item_text(("item0"."an item" -> $1::text)) = $2::text and exists (select 1 from cadastre_elements(("item0"."an item" -> $3::text)) as "item1"("an item") where (cadastre_item_text("item1"."an item") is not distinct from "Name" collate "C")))) order by "Key" asc limit $4
-- ["Name","x","Tags",10]

-- Rooms/any()
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind") order by "Key" asc limit $1
-- [10]

-- Rooms/any(r:r/Area gt 12)
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Area" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and "item0_2" > $1::bigint) order by "Key" asc limit $2
-- ["12n",10]

-- Rooms/all(r:contains(r/Name,'x'))
select "Key" as "Key" from "House" where not (exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Name" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and not ((strpos("item0_2" collate "C", $1::text) > 0))) or exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Name" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and (((strpos("item0_2" collate "C", $2::text) > 0))) is null)) order by "Key" asc limit $3
-- ["x","x",10]

-- not Rooms/any(r:contains(r/Name,'x'))
select "Key" as "Key" from "House" where not case when exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Name" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and ((strpos("item0_2" collate "C", $1::text) > 0))) then true when exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Name" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and (((strpos("item0_2" collate "C", $2::text) > 0))) is null) then null else false end order by "Key" asc limit $3
-- ["x","x",10]

-- Rooms/any(r:r/House/Name eq Name and r/Address/City eq $it/Address/City)
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Kind" as "item0_1", "Parent" as "item0_2", "AddressCity" as "item0_3" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and (((select "item1_1" from (select "Key" as "item1_0", "Name" as "item1_1" from "House") as "item1" where "item1_0" = "item0_2" limit 1) collate "C" is not distinct from "Name" collate "C") and ("item0_3" collate "C" is not distinct from "AddressCity" collate "C"))) order by "Key" asc limit $1
-- [10]

-- Children/any(c:c/Children/any(d:d/Name eq c/Name and d/Key ne Key))
select "Key" as "Key" from "House" where exists (select 1 from (select "ParentKey" as "item0_0", "Key" as "item0_1", "Name" as "item0_2" from "House") as "item0" where "item0_0" = "Key" and exists (select 1 from (select "ParentKey" as "item1_0", "Name" as "item1_1", "Key" as "item1_2" from "House") as "item1" where "item1_0" = "item0_1" and (("item1_1" collate "C" is not distinct from "item0_2" collate "C") and "item1_2" <> "Key"))) order by "Key" asc limit $1
-- [10]

-- Office/Agents/any(a:a/Tags/any(t:t eq Name))
select "Key" as "Key" from "House" where exists (select 1 from (select "OfficeKey" as "item0_0", "Tags" as "item0_1" from "Agent") as "item0" where "item0_0" = (select "item1_1" from (select "Key" as "item1_0", "Key" as "item1_1" from "Office") as "item1" where "item1_0" = "OfficeKey" limit 1) and exists (select 1 from cadastre_elements("item0_1") as "item1"("an item") where (cadastre_item_text("item1"."an item") is not distinct from "Name" collate "C"))) order by "Key" asc limit $1
-- [10]

-- Rooms/$count gt 2
select "Key" as "Key" from "House" where (select count(*) from (select "Parent" as "item0_0", "Kind" as "item0_1" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind") > $1::bigint order by "Key" asc limit $2
-- ["2n",10]

-- Rooms/$count($filter=Area gt 12) gt 2
select "Key" as "Key" from "House" where (select count(*) from (select "Parent" as "item0_0", "Kind" as "item0_1", "Area" as "item0_2" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind" and "item0_2" > $1::bigint) > $2::bigint order by "Key" asc limit $3
-- ["12n","2n",10]

-- Tags/any(t:t eq 'x')
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Name" as "item0_1" from "HouseTag") as "item0" where "item0_0" = "Key" and "item0_1" = $1::text) order by "Key" asc limit $2
-- ["x",10]

-- 'x' in Tags
select "Key" as "Key" from "House" where exists (select 1 from (select "Parent" as "item0_0", "Name" as "item0_1" from "HouseTag") as "item0" where "item0_0" = "Key" and "item0_1" = $1::text) order by "Key" asc limit $2
-- ["x",10]

-- hassubset(Tags,["x"])
select "Key" as "Key" from "House" where ((cadastre_hassubset((select coalesce(jsonb_agg("item0_1" order by "item0_2"), '[]') from (select "Parent" as "item0_0", "Name" as "item0_1", "Key" as "item0_2" from "HouseTag") as "item0" where "item0_0" = "Key"), $1::jsonb))) order by "Key" asc limit $2
-- ["[\"x\"]",10]

-- Office/Tags/$count eq 0
select "Key" as "Key" from "House" where (select count(*) from (select "Parent" as "item0_0", "Name" as "item0_1" from "OfficeTag") as "item0" where "item0_0" = (select "item1_1" from (select "Key" as "item1_0", "Key" as "item1_1" from "Office") as "item1" where "item1_0" = "OfficeKey" limit 1)) = $1::bigint order by "Key" asc limit $2
-- ["0n",10]

-- Office/Name desc
select "Key" as "Key" from "House" where true order by (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) collate "C" desc nulls last, "Key" asc limit $1
-- [10]

-- Rooms/$count desc
select "Key" as "Key" from "House" where true order by (select count(*) from (select "Parent" as "item0_0", "Kind" as "item0_1" from "Room") as "item0" where "item0_0" = "Key" and "item0_1" = "Kind") desc, "Key" asc limit $1
-- [10]

-- Address/City
select "Key" as "Key" from "House" where true order by "AddressCity" collate "C" asc nulls first, "Key" asc limit $1
-- [10]

-- Fee divby 4 as Quarter,Quarter add 1 as More & More gt 2 & Quarter desc
select "Key" as "Key", cadastre_sum(cadastre_quotient("Fee", $1::numeric), $2::numeric) as "More" from "House" where cadastre_sum(cadastre_quotient("Fee", $3::numeric), $4::numeric) > $5::numeric order by cadastre_quotient("Fee", $6::numeric) desc nulls last, "Key" asc limit $7
-- ["4","1","4","1","2","4",10]

-- Office($select=Name)
select "$parent", "Name" as "Name", ("Key")::text as "$key0" from (select place - 1 as "$parent", (item ->> $1::int)::bigint as "$given0" from jsonb_array_elements($2::jsonb) with ordinality as given(item, place)) as "$keys" cross join (select "Key" as "$row_0", "OfficeKey" as "$row_1" from "House") as "$row" cross join "Office" where "$row_0" = "$given0" and "Key" = "$row_1" and true order by "$parent", "Key" asc
-- [0,"[[1],[2]]"]

-- Rooms($select=Name;$filter=Area gt 12)
select "$parent", "Name" as "Name", ("Key")::text as "$key0" from (select place - 1 as "$parent", (item ->> $1::int)::bigint as "$given0" from jsonb_array_elements($2::jsonb) with ordinality as given(item, place)) as "$keys" cross join (select "Key" as "$row_0", "Key" as "$row_1", "Kind" as "$row_2" from "House") as "$row" cross join "Room" where "$row_0" = "$given0" and "Parent" = "$row_1" and "Kind" = "$row_2" and "Area" > $3::bigint order by "$parent", "Key" asc
-- [0,"[[1],[2]]","12n"]

-- Rooms($select=Name;$orderby=Area desc;$top=2;$skip=1)
select * from (select "$parent", "Name" as "Name", ("Key")::text as "$key0", row_number() over (partition by "$parent" order by "Area" desc nulls last, "Key" asc) as "$place" from (select place - 1 as "$parent", (item ->> $1::int)::bigint as "$given0" from jsonb_array_elements($2::jsonb) with ordinality as given(item, place)) as "$keys" cross join (select "Key" as "$row_0", "Key" as "$row_1", "Kind" as "$row_2" from "House") as "$row" cross join "Room" where "$row_0" = "$given0" and "Parent" = "$row_1" and "Kind" = "$row_2" and true) as "$page" where "$place" > $3 and "$place" <= $4 order by "$parent", "$place"
-- [0,"[[1],[2]]",1,3]

-- Children($select=Name;$filter=Office/Name eq 'x')
select "$parent", "Name" as "Name", ("Key")::text as "$key0" from (select place - 1 as "$parent", (item ->> $1::int)::bigint as "$given0" from jsonb_array_elements($2::jsonb) with ordinality as given(item, place)) as "$keys" cross join (select "Key" as "$row_0", "Key" as "$row_1" from "House") as "$row" cross join "House" where "$row_0" = "$given0" and "ParentKey" = "$row_1" and (select "item0_1" from (select "Key" as "item0_0", "Name" as "item0_1" from "Office") as "item0" where "item0_0" = "OfficeKey" limit 1) = $3::text order by "$parent", "Key" asc
-- [0,"[[1],[2]]","x"]

-- Rooms/$count($filter=Area gt 12)
select "$parent", count(*) as "count" from (select place - 1 as "$parent", (item ->> $1::int)::bigint as "$given0" from jsonb_array_elements($2::jsonb) with ordinality as given(item, place)) as "$keys" cross join (select "Key" as "$row_0", "Key" as "$row_1", "Kind" as "$row_2" from "House") as "$row" cross join "Room" where "$row_0" = "$given0" and "Parent" = "$row_1" and "Kind" = "$row_2" and "Area" > $3::bigint group by "$parent"
-- [0,"[[1],[2]]","12n"]
