-- aggregate($count as N)
select cast("column0" as text) as "$0" from (select count(*) as "column0" from (select 1 as "counted" from "Sale" where "Pieces" is not null) as "rows") as "groups" where true limit $1
-- [10]

-- aggregate($count as N): its number of rows
select count(*) as "count" from (select count(*) as "column0" from (select 1 as "counted" from "Sale" where "Pieces" is not null) as "rows") as "groups" where true
-- []

-- aggregate(Amount with sum as S,Amount with average as A,Pieces with sum as P)
select cast("column0" as text) as "$0", cast("column1" as text) as "$1", cast("column2" as text) as "$2" from (select cadastre_bounded(sum(("operand0")::numeric)) as "column0", cadastre_quotient(cadastre_bounded(sum(("operand1")::numeric)), (count("operand1"))::numeric) as "column1", cadastre_bounded(sum(("operand2"::numeric)::numeric)) as "column2" from (select "Amount" as "operand0", "Amount" as "operand1", "Pieces" as "operand2" from "Sale" where "Pieces" is not null) as "rows") as "groups" where true limit $1
-- [10]

-- aggregate(Amount with sum as S,Amount with average as A,Pieces with sum as P): its number of rows
select count(*) as "count" from (select cadastre_bounded(sum(("operand0")::numeric)) as "column0", cadastre_quotient(cadastre_bounded(sum(("operand1")::numeric)), (count("operand1"))::numeric) as "column1", cadastre_bounded(sum(("operand2"::numeric)::numeric)) as "column2" from (select "Amount" as "operand0", "Amount" as "operand1", "Pieces" as "operand2" from "Sale" where "Pieces" is not null) as "rows") as "groups" where true
-- []

-- aggregate(Time with min as First,ID with max as Last,Customer/Name with countdistinct as Names)
select cadastre_text("column0") as "$0", "column1" as "$1", cast("column2" as text) as "$2" from (select min("operand0") as "column0", max("operand1" collate "C") as "column1", count(distinct "operand2" collate "C") as "column2" from (select "Time" as "operand0", "ID" as "operand1", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "operand2" from "Sale" where "Pieces" is not null) as "rows") as "groups" where true limit $1
-- [10]

-- aggregate(Time with min as First,ID with max as Last,Customer/Name with countdistinct as Names): its number of rows
select count(*) as "count" from (select min("operand0") as "column0", max("operand1" collate "C") as "column1", count(distinct "operand2" collate "C") as "column2" from (select "Time" as "operand0", "ID" as "operand1", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "operand2" from "Sale" where "Pieces" is not null) as "rows") as "groups" where true
-- []

-- groupby((Customer/Country,Product/Category/Name),aggregate(Amount with sum as Total))
select "column0" as "$0", "column1" as "$1", cast("column2" as text) as "$2", ("column0")::text as "order0", ("column1")::text as "order1" from (select "key0" as "column0", "key1" as "column1", cadastre_bounded(sum(("operand0")::numeric)) as "column2" from (select (select "item0_1" from (select "ID" as "item0_0", "Country" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "key0", (select (select "item1_1" from (select "ID" as "item1_0", "Name" as "item1_1" from "Category") as "item1" where "item1_0" = "item0_1" limit 1) from (select "ID" as "item0_0", "CategoryID" as "item0_1" from "Product") as "item0" where "item0_0" = "ProductID" limit 1) as "key1", "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows" group by "key0", "key1") as "groups" where true order by "column0" collate "C" asc nulls first, "column1" collate "C" asc nulls first limit $1
-- [10]

-- groupby((Customer/Country,Product/Category/Name),aggregate(Amount with sum as Total)): its number of rows
select count(*) as "count" from (select "key0" as "column0", "key1" as "column1", cadastre_bounded(sum(("operand0")::numeric)) as "column2" from (select (select "item0_1" from (select "ID" as "item0_0", "Country" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "key0", (select (select "item1_1" from (select "ID" as "item1_0", "Name" as "item1_1" from "Category") as "item1" where "item1_0" = "item0_1" limit 1) from (select "ID" as "item0_0", "CategoryID" as "item0_1" from "Product") as "item0" where "item0_0" = "ProductID" limit 1) as "key1", "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows" group by "key0", "key1") as "groups" where true
-- []

-- groupby((Time),filter(Amount gt 3)/aggregate($count as N))
select cadastre_text("column0") as "$0", cast("column1" as text) as "$1", ("column0")::text as "order0" from (select "key0" as "column0", count(*) filter (where "counted") as "column1" from (select "Time" as "key0", coalesce("Amount" > $1::numeric, false) as "counted" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups" where true order by "column0" asc nulls first limit $2
-- ["3",10]

-- groupby((Time),filter(Amount gt 3)/aggregate($count as N)): its number of rows
select count(*) as "count" from (select "key0" as "column0", count(*) filter (where "counted") as "column1" from (select "Time" as "key0", coalesce("Amount" > $1::numeric, false) as "counted" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups" where true
-- ["3"]

-- groupby((Time),aggregate($count as N))/groupby((N))/filter(N gt 1)
select cast("column0" as text) as "$0", ("column0")::text as "order0" from (select "key0" as "column0" from (select "column1" as "key0" from (select "key0" as "column0", count(*) as "column1" from (select "Time" as "key0" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups") as "rows" group by "key0") as "groups" where "column0" > $1::bigint and true order by "column0" asc nulls first limit $2
-- ["1n",10]

-- groupby((Time),aggregate($count as N))/groupby((N))/filter(N gt 1): its number of rows
select count(*) as "count" from (select "key0" as "column0" from (select "column1" as "key0" from (select "key0" as "column0", count(*) as "column1" from (select "Time" as "key0" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups") as "rows" group by "key0") as "groups" where "column0" > $1::bigint and true
-- ["1n"]

-- orderby(Amount desc)/skip(1)/top(2)
select "ID" as "$0", cadastre_text("Time") as "$1", cast("Amount" as text) as "$2", cast("Pieces" as text) as "$3", ("Amount")::text as "order0", ("ID")::text as "order1", ("ID")::text as "$key0" from "Sale" where "ID" in (select "ID" from "Sale" where "ID" in (select "ID" from "Sale" where "Pieces" is not null order by "Amount" desc nulls last, "ID" collate "C" asc limit $1 offset $2) order by "Amount" desc nulls last, "ID" collate "C" asc limit $3) and true order by "Amount" desc nulls last, "ID" collate "C" asc limit $4
-- [9007199254740991,1,2,10]

-- orderby(Amount desc)/skip(1)/top(2): its number of rows
select count(*) as "count" from "Sale" where "ID" in (select "ID" from "Sale" where "ID" in (select "ID" from "Sale" where "Pieces" is not null order by "Amount" desc nulls last, "ID" collate "C" asc limit $1 offset $2) order by "Amount" desc nulls last, "ID" collate "C" asc limit $3) and true
-- [9007199254740991,1,2]

-- topcount(2,Amount)/groupby((Time))/topcount(1,Time)
select cadastre_text("column0") as "$0", ("column0")::text as "order0" from (select * from (select "key0" as "column0" from (select "Time" as "key0" from "Sale" where "ID" in (select "ID" from "Sale" where "Pieces" is not null order by "Amount" desc nulls last, "ID" collate "C" asc limit $1)) as "rows" group by "key0") as "groups" order by "column0" desc nulls last limit $2) as "limited" where true order by "column0" asc nulls first limit $3
-- [2,1,10]

-- topcount(2,Amount)/groupby((Time))/topcount(1,Time): its number of rows
select count(*) as "count" from (select * from (select "key0" as "column0" from (select "Time" as "key0" from "Sale" where "ID" in (select "ID" from "Sale" where "Pieces" is not null order by "Amount" desc nulls last, "ID" collate "C" asc limit $1)) as "rows" group by "key0") as "groups" order by "column0" desc nulls last limit $2) as "limited" where true
-- [2,1]

-- groupby((Time),topcount(1,Amount))
select "ID" as "$0", cadastre_text("Time") as "$1", cast("Amount" as text) as "$2", cast("Pieces" as text) as "$3", ("Time")::text as "order0", ("ID")::text as "order1", ("ID")::text as "$key0" from "Sale" where "ID" in (select "key0" from (select "ID" as "key0", row_number() over (partition by "Time" order by "Amount" desc nulls last, "ID" collate "C" asc) as "place0" from "Sale" where "Pieces" is not null) as "ranked" where "place0" > $1 and "place0" <= $2) and true order by "Time" asc nulls first, "ID" collate "C" asc limit $3
-- [0,1,10]

-- groupby((Time),topcount(1,Amount)): its number of rows
select count(*) as "count" from "Sale" where "ID" in (select "key0" from (select "ID" as "key0", row_number() over (partition by "Time" order by "Amount" desc nulls last, "ID" collate "C" asc) as "place0" from "Sale" where "Pieces" is not null) as "ranked" where "place0" > $1 and "place0" <= $2) and true
-- [0,1]

-- groupby((Time,Customer/Name),filter(Amount gt 1)/orderby(Amount)/top(2))
select "column0" as "$0", cadastre_text("column1") as "$1", cast("column2" as text) as "$2", cast("column3" as text) as "$3", "column4" as "$4", cast("$structure" as text) as "$5", ("$branch")::text as "order0", ("$place")::text as "order1" from (select "ID" collate "C" as "column0", "Time" as "column1", "Amount" as "column2", "Pieces" as "column3", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) collate "C" as "column4", $1::bigint as "$branch", row_number() over (order by "Time" asc nulls first, (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) collate "C" asc nulls first, "Amount" asc nulls first, "ID" collate "C" asc) as "$place", $2::bigint as "$structure" from "Sale" where "ID" in (select "key0" from (select "ID" as "key0", row_number() over (partition by "Time", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) order by "Amount" asc nulls first, "ID" collate "C" asc) as "place0" from "Sale" where "Pieces" is not null and "Amount" > $3::numeric) as "ranked" where "place0" > $4 and "place0" <= $5)) as "concatenated" where true order by "$branch" asc, "$place" asc limit $6
-- ["0n","0n","1",0,2,10]

-- groupby((Time,Customer/Name),filter(Amount gt 1)/orderby(Amount)/top(2)): its number of rows
select count(*) as "count" from (select "ID" collate "C" as "column0", "Time" as "column1", "Amount" as "column2", "Pieces" as "column3", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) collate "C" as "column4", $1::bigint as "$branch", row_number() over (order by "Time" asc nulls first, (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) collate "C" asc nulls first, "Amount" asc nulls first, "ID" collate "C" asc) as "$place", $2::bigint as "$structure" from "Sale" where "ID" in (select "key0" from (select "ID" as "key0", row_number() over (partition by "Time", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) order by "Amount" asc nulls first, "ID" collate "C" asc) as "place0" from "Sale" where "Pieces" is not null and "Amount" > $3::numeric) as "ranked" where "place0" > $4 and "place0" <= $5)) as "concatenated" where true
-- ["0n","0n","1",0,2]

-- concat(groupby((Time),aggregate(Amount with max as M)),aggregate(Amount with sum as S))
select cadastre_text("column0") as "$0", cast("column1" as text) as "$1", cast("column2" as text) as "$2", cast("$structure" as text) as "$3", ("$branch")::text as "order0", ("$place")::text as "order1" from (select "column0" as "column0", "column1" as "column1", null::numeric as "column2", $1::bigint as "$branch", row_number() over (order by "column0" asc nulls first) as "$place", $2::bigint as "$structure" from (select "key0" as "column0", max("operand0") as "column1" from (select "Time" as "key0", "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups" union all select null::date as "column0", null::numeric as "column1", "column0" as "column2", $3::bigint as "$branch", row_number() over () as "$place", $4::bigint as "$structure" from (select cadastre_bounded(sum(("operand0")::numeric)) as "column0" from (select "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows") as "groups") as "concatenated" where true order by "$branch" asc, "$place" asc limit $5
-- ["0n","0n","1n","1n",10]

-- concat(groupby((Time),aggregate(Amount with max as M)),aggregate(Amount with sum as S)): its number of rows
select count(*) as "count" from (select "column0" as "column0", "column1" as "column1", null::numeric as "column2", $1::bigint as "$branch", row_number() over (order by "column0" asc nulls first) as "$place", $2::bigint as "$structure" from (select "key0" as "column0", max("operand0") as "column1" from (select "Time" as "key0", "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups" union all select null::date as "column0", null::numeric as "column1", "column0" as "column2", $3::bigint as "$branch", row_number() over () as "$place", $4::bigint as "$structure" from (select cadastre_bounded(sum(("operand0")::numeric)) as "column0" from (select "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows") as "groups") as "concatenated" where true
-- ["0n","0n","1n","1n"]
