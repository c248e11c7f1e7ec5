-- aggregate($count as N)
select cast("column0" as text) as "$0" from (select count(*) as "column0" from (select 1 as "counted" from "Sale" where "Pieces" is not null) as "rows") as "groups" where 1 limit +?
-- [10]

-- aggregate($count as N): its number of rows
select count(*) as "count" from (select count(*) as "column0" from (select 1 as "counted" from "Sale" where "Pieces" is not null) as "rows") as "groups" where 1
-- []

-- aggregate(Amount with sum as S,Amount with average as A,Pieces with sum as P)
select "odata_cast_decimal_string"("column0") as "$0", "odata_cast_decimal_string"("column1") as "$1", "odata_cast_decimal_string"("column2") as "$2" from (select "odata_sum_decimal"("operand0") as "column0", "odata_average_decimal"("operand1") as "column1", "odata_sum_decimal"("operand2") as "column2" from (select "Amount" as "operand0", "Amount" as "operand1", "Pieces" as "operand2" from "Sale" where "Pieces" is not null) as "rows") as "groups" where 1 limit +?
-- [10]

-- aggregate(Amount with sum as S,Amount with average as A,Pieces with sum as P): its number of rows
select count(*) as "count" from (select "odata_sum_decimal"("operand0") as "column0", "odata_average_decimal"("operand1") as "column1", "odata_sum_decimal"("operand2") as "column2" from (select "Amount" as "operand0", "Amount" as "operand1", "Pieces" as "operand2" from "Sale" where "Pieces" is not null) as "rows") as "groups" where 1
-- []

-- aggregate(Time with min as First,ID with max as Last,Customer/Name with countdistinct as Names)
select "column0" as "$0", "column1" as "$1", cast("column2" as text) as "$2" from (select min("operand0") as "column0", max("operand1") as "column1", count(distinct "operand2") as "column2" from (select "Time" as "operand0", "ID" as "operand1", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "operand2" from "Sale" where "Pieces" is not null) as "rows") as "groups" where 1 limit +?
-- [10]

-- aggregate(Time with min as First,ID with max as Last,Customer/Name with countdistinct as Names): its number of rows
select count(*) as "count" from (select min("operand0") as "column0", max("operand1") as "column1", count(distinct "operand2") as "column2" from (select "Time" as "operand0", "ID" as "operand1", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "operand2" from "Sale" where "Pieces" is not null) as "rows") as "groups" where 1
-- []

-- groupby((Customer/Country,Product/Category/Name),aggregate(Amount with sum as Total))
select "column0" as "$0", "column1" as "$1", "odata_cast_decimal_string"("column2") as "$2", "column0" as "order0", "column1" as "order1" from (select "key0" as "column0", "key1" as "column1", "odata_sum_decimal"("operand0") as "column2" from (select (select "item0_1" from (select "ID" as "item0_0", "Country" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "key0", (select (select "item1_1" from (select "ID" as "item1_0", "Name" as "item1_1" from "Category") as "item1" where "item1_0" = "item0_1" limit 1) from (select "ID" as "item0_0", "CategoryID" as "item0_1" from "Product") as "item0" where "item0_0" = "ProductID" limit 1) as "key1", "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows" group by "key0", "key1") as "groups" where 1 order by "column0", "column1" limit +?
-- [10]

-- groupby((Customer/Country,Product/Category/Name),aggregate(Amount with sum as Total)): its number of rows
select count(*) as "count" from (select "key0" as "column0", "key1" as "column1", "odata_sum_decimal"("operand0") as "column2" from (select (select "item0_1" from (select "ID" as "item0_0", "Country" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "key0", (select (select "item1_1" from (select "ID" as "item1_0", "Name" as "item1_1" from "Category") as "item1" where "item1_0" = "item0_1" limit 1) from (select "ID" as "item0_0", "CategoryID" as "item0_1" from "Product") as "item0" where "item0_0" = "ProductID" limit 1) as "key1", "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows" group by "key0", "key1") as "groups" where 1
-- []

-- groupby((Time),filter(Amount gt 3)/aggregate($count as N))
select "column0" as "$0", cast("column1" as text) as "$1", "column0" as "order0" from (select "key0" as "column0", count(*) filter (where "counted") as "column1" from (select "Time" as "key0", coalesce("Amount" > ?, 0) as "counted" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups" where 1 order by "column0" limit +?
-- [3,10]

-- groupby((Time),filter(Amount gt 3)/aggregate($count as N)): its number of rows
select count(*) as "count" from (select "key0" as "column0", count(*) filter (where "counted") as "column1" from (select "Time" as "key0", coalesce("Amount" > ?, 0) as "counted" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups" where 1
-- [3]

-- groupby((Time),aggregate($count as N))/groupby((N))/filter(N gt 1)
select cast("column0" as text) as "$0", cast("column0" as text) as "order0" from (select "key0" as "column0" from (select "column1" as "key0" from (select "key0" as "column0", count(*) as "column1" from (select "Time" as "key0" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups") as "rows" group by "key0") as "groups" where "column0" > ? and 1 order by "column0" limit +?
-- ["1n",10]

-- groupby((Time),aggregate($count as N))/groupby((N))/filter(N gt 1): its number of rows
select count(*) as "count" from (select "key0" as "column0" from (select "column1" as "key0" from (select "key0" as "column0", count(*) as "column1" from (select "Time" as "key0" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups") as "rows" group by "key0") as "groups" where "column0" > ? and 1
-- ["1n"]

-- orderby(Amount desc)/skip(1)/top(2)
select "ID" as "$0", "Time" as "$1", "Amount" as "$2", cast("Pieces" as text) as "$3", "Amount" as "order0", "ID" as "order1", "ID" as "$key0" from "Sale" where "ID" in (select "ID" from "Sale" where "ID" in (select "ID" from "Sale" where "Pieces" is not null order by "Amount" desc, "ID" limit +? offset ?) order by "Amount" desc, "ID" limit +?) and 1 order by "Amount" desc, "ID" limit +?
-- [9007199254740991,1,2,10]

-- orderby(Amount desc)/skip(1)/top(2): its number of rows
select count(*) as "count" from "Sale" where "ID" in (select "ID" from "Sale" where "ID" in (select "ID" from "Sale" where "Pieces" is not null order by "Amount" desc, "ID" limit +? offset ?) order by "Amount" desc, "ID" limit +?) and 1
-- [9007199254740991,1,2]

-- topcount(2,Amount)/groupby((Time))/topcount(1,Time)
select "column0" as "$0", "column0" as "order0" from (select * from (select "key0" as "column0" from (select "Time" as "key0" from "Sale" where "ID" in (select "ID" from "Sale" where "Pieces" is not null order by "Amount" desc, "ID" limit +?)) as "rows" group by "key0") as "groups" order by "column0" desc limit +?) as "limited" where 1 order by "column0" limit +?
-- [2,1,10]

-- topcount(2,Amount)/groupby((Time))/topcount(1,Time): its number of rows
select count(*) as "count" from (select * from (select "key0" as "column0" from (select "Time" as "key0" from "Sale" where "ID" in (select "ID" from "Sale" where "Pieces" is not null order by "Amount" desc, "ID" limit +?)) as "rows" group by "key0") as "groups" order by "column0" desc limit +?) as "limited" where 1
-- [2,1]

-- groupby((Time),topcount(1,Amount))
select "ID" as "$0", "Time" as "$1", "Amount" as "$2", cast("Pieces" as text) as "$3", "Time" as "order0", "ID" as "order1", "ID" as "$key0" from "Sale" where "ID" in (select "key0" from (select "ID" as "key0", row_number() over (partition by "Time" order by "Amount" desc, "ID") as "place0" from "Sale" where "Pieces" is not null) as "ranked" where "place0" > ? and "place0" <= ?) and 1 order by "Time", "ID" limit +?
-- [0,1,10]

-- groupby((Time),topcount(1,Amount)): its number of rows
select count(*) as "count" from "Sale" where "ID" in (select "key0" from (select "ID" as "key0", row_number() over (partition by "Time" order by "Amount" desc, "ID") as "place0" from "Sale" where "Pieces" is not null) as "ranked" where "place0" > ? and "place0" <= ?) and 1
-- [0,1]

-- groupby((Time,Customer/Name),filter(Amount gt 1)/orderby(Amount)/top(2))
select "column0" as "$0", "column1" as "$1", "odata_cast_decimal_string"("column2") as "$2", cast("column3" as text) as "$3", "column4" as "$4", cast("$structure" as text) as "$5", cast("$branch" as text) as "order0", cast("$place" as text) as "order1" from (select "ID" as "column0", "Time" as "column1", "odata_number"("Amount") as "column2", "Pieces" as "column3", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "column4", ? as "$branch", row_number() over (order by "Time", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1), "Amount", "ID") as "$place", ? as "$structure" from "Sale" where "ID" in (select "key0" from (select "ID" as "key0", row_number() over (partition by "Time", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) order by "Amount", "ID") as "place0" from "Sale" where "Pieces" is not null and "Amount" > ?) as "ranked" where "place0" > ? and "place0" <= ?)) as "concatenated" where 1 order by "$branch", "$place" limit +?
-- ["0n","0n",1,0,2,10]

-- groupby((Time,Customer/Name),filter(Amount gt 1)/orderby(Amount)/top(2)): its number of rows
select count(*) as "count" from (select "ID" as "column0", "Time" as "column1", "odata_number"("Amount") as "column2", "Pieces" as "column3", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) as "column4", ? as "$branch", row_number() over (order by "Time", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1), "Amount", "ID") as "$place", ? as "$structure" from "Sale" where "ID" in (select "key0" from (select "ID" as "key0", row_number() over (partition by "Time", (select "item0_1" from (select "ID" as "item0_0", "Name" as "item0_1" from "Customer") as "item0" where "item0_0" = "CustomerID" limit 1) order by "Amount", "ID") as "place0" from "Sale" where "Pieces" is not null and "Amount" > ?) as "ranked" where "place0" > ? and "place0" <= ?)) as "concatenated" where 1
-- ["0n","0n",1,0,2]

-- concat(groupby((Time),aggregate(Amount with max as M)),aggregate(Amount with sum as S))
select "column0" as "$0", "odata_cast_decimal_string"("column1") as "$1", "odata_cast_decimal_string"("column2") as "$2", cast("$structure" as text) as "$3", cast("$branch" as text) as "order0", cast("$place" as text) as "order1" from (select "column0" as "column0", "odata_number"("column1") as "column1", null as "column2", ? as "$branch", row_number() over (order by "column0") as "$place", ? as "$structure" from (select "key0" as "column0", max("operand0") as "column1" from (select "Time" as "key0", "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups" union all select null as "column0", null as "column1", "column0" as "column2", ? as "$branch", row_number() over () as "$place", ? as "$structure" from (select "odata_sum_decimal"("operand0") as "column0" from (select "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows") as "groups") as "concatenated" where 1 order by "$branch", "$place" limit +?
-- ["0n","0n","1n","1n",10]

-- concat(groupby((Time),aggregate(Amount with max as M)),aggregate(Amount with sum as S)): its number of rows
select count(*) as "count" from (select "column0" as "column0", "odata_number"("column1") as "column1", null as "column2", ? as "$branch", row_number() over (order by "column0") as "$place", ? as "$structure" from (select "key0" as "column0", max("operand0") as "column1" from (select "Time" as "key0", "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows" group by "key0") as "groups" union all select null as "column0", null as "column1", "column0" as "column2", ? as "$branch", row_number() over () as "$place", ? as "$structure" from (select "odata_sum_decimal"("operand0") as "column0" from (select "Amount" as "operand0" from "Sale" where "Pieces" is not null) as "rows") as "groups") as "concatenated" where 1
-- ["0n","0n","1n","1n"]
