-- startswith(Remarks,'Sea')
select "Key" as "Key" from "home" where ("Remarks" collate "C" >= $1::text and "Remarks" collate "C" < $2::text) order by "Key" collate "C" asc limit $3
-- ["Sea","Seb",10]

-- startswith(Remarks,'􏿿')
select "Key" as "Key" from "home" where ("Remarks" collate "C" >= $1::text) order by "Key" collate "C" asc limit $2
-- ["􏿿",10]

-- startswith(Remarks,'')
select "Key" as "Key" from "home" where ((starts_with("Remarks" collate "C", $1::text))) order by "Key" collate "C" asc limit $2
-- ["",10]

-- not startswith(Remarks,'a')
select "Key" as "Key" from "home" where not ("Remarks" collate "C" >= $1::text and "Remarks" collate "C" < $2::text) order by "Key" collate "C" asc limit $3
-- ["a","b",10]

-- startswith(concat(Title,Remarks),'a')
select "Key" as "Key" from "home" where ((starts_with(("Title" collate "C" || "Remarks" collate "C"), $1::text))) order by "Key" collate "C" asc limit $2
-- ["a",10]

-- Title eq 'York', ignoring case
select "Key" as "Key" from "home" where (cadastre_foldcase("Title" collate "C")) = $1::text order by "Key" collate "C" asc limit $2
-- ["york",10]

-- Title eq 'York', ignoring case, folded titles stored
select "Key" as "Key" from "home" where "TitleFolded" = $1::text order by "Key" collate "C" asc limit $2
-- ["york",10]

-- Remarks ne 'York', ignoring case
select "Key" as "Key" from "home" where ((cadastre_foldcase("Remarks" collate "C")) is distinct from $1::text) order by "Key" collate "C" asc limit $2
-- ["york",10]

-- Remarks ne 'York', ignoring case, folded titles stored
select "Key" as "Key" from "home" where ((cadastre_foldcase("Remarks" collate "C")) is distinct from $1::text) order by "Key" collate "C" asc limit $2
-- ["york",10]

-- Title in ('York',null), ignoring case
select "Key" as "Key" from "home" where ((cadastre_foldcase("Title" collate "C")) in ($1::text) or (cadastre_foldcase("Title" collate "C")) is null) order by "Key" collate "C" asc limit $2
-- ["york",10]

-- Title in ('York',null), ignoring case, folded titles stored
select "Key" as "Key" from "home" where ("TitleFolded" in ($1::text) or "TitleFolded" is null) order by "Key" collate "C" asc limit $2
-- ["york",10]

-- Title gt 'York', ignoring case
select "Key" as "Key" from "home" where "Title" collate "C" > $1::text order by "Key" collate "C" asc limit $2
-- ["York",10]

-- Title gt 'York', ignoring case, folded titles stored
select "Key" as "Key" from "home" where "Title" collate "C" > $1::text order by "Key" collate "C" asc limit $2
-- ["York",10]

-- Title eq null, ignoring case
select "Key" as "Key" from "home" where "Title" is null order by "Key" collate "C" asc limit $1
-- [10]

-- Title eq null, ignoring case, folded titles stored
select "Key" as "Key" from "home" where "Title" is null order by "Key" collate "C" asc limit $1
-- [10]

-- contains(Title,'New') or startswith(Remarks,'New') or endswith(Remarks,'York'), ignoring case
select "Key" as "Key" from "home" where (((strpos((cadastre_foldcase("Title" collate "C")), $1::text) > 0)) or ((cadastre_foldcase("Remarks" collate "C")) >= $2::text and (cadastre_foldcase("Remarks" collate "C")) < $3::text) or ((starts_with(reverse((cadastre_foldcase("Remarks" collate "C"))), reverse($4::text))))) order by "Key" collate "C" asc limit $5
-- ["new","new","nex","york",10]

-- contains(Title,'New') or startswith(Remarks,'New') or endswith(Remarks,'York'), ignoring case, folded titles stored
select "Key" as "Key" from "home" where (((strpos("TitleFolded" collate "C", $1::text) > 0)) or ((cadastre_foldcase("Remarks" collate "C")) >= $2::text and (cadastre_foldcase("Remarks" collate "C")) < $3::text) or ((starts_with(reverse((cadastre_foldcase("Remarks" collate "C"))), reverse($4::text))))) order by "Key" collate "C" asc limit $5
-- ["new","new","nex","york",10]

-- search sea
select "Key" as "Key" from "home" where "cadastre_search"((coalesce("cadastre_words"("Title" collate "C"), '') || coalesce("cadastre_words"("Remarks" collate "C"), '')), $1::text) order by "Key" collate "C" asc limit $2
-- ["{\"kind\":\"Phrase\",\"words\":\" sea \"}",10]

-- search sea, with an index
select "Key" as "Key" from "home" where "words" @> string_to_array($1::text, ' ') order by "Key" collate "C" asc limit $2
-- ["sea",10]

-- search "sea view"
select "Key" as "Key" from "home" where "cadastre_search"((coalesce("cadastre_words"("Title" collate "C"), '') || coalesce("cadastre_words"("Remarks" collate "C"), '')), $1::text) order by "Key" collate "C" asc limit $2
-- ["{\"kind\":\"Phrase\",\"words\":\" sea view \"}",10]

-- search "sea view", with an index
select "Key" as "Key" from "home" where ("words" @> string_to_array($1::text, ' ') and "cadastre_search"((coalesce("cadastre_words"("Title" collate "C"), '') || coalesce("cadastre_words"("Remarks" collate "C"), '')), $2::text)) order by "Key" collate "C" asc limit $3
-- ["sea view","{\"kind\":\"Phrase\",\"words\":\" sea view \"}",10]

-- search sea view OR pool
select "Key" as "Key" from "home" where "cadastre_search"((coalesce("cadastre_words"("Title" collate "C"), '') || coalesce("cadastre_words"("Remarks" collate "C"), '')), $1::text) order by "Key" collate "C" asc limit $2
-- ["{\"kind\":\"Any\",\"operands\":[{\"kind\":\"All\",\"operands\":[{\"kind\":\"Phrase\",\"words\":\" sea \"},{\"kind\":\"Phrase\",\"words\":\" view \"}]},{\"kind\":\"Phrase\",\"words\":\" pool \"}]}",10]

-- search sea view OR pool, with an index
select "Key" as "Key" from "home" where (("words" @> string_to_array($1::text, ' ') and "words" @> string_to_array($2::text, ' ')) or "words" @> string_to_array($3::text, ' ')) order by "Key" collate "C" asc limit $4
-- ["sea","view","pool",10]

-- search sea NOT (pool OR house)
select "Key" as "Key" from "home" where "cadastre_search"((coalesce("cadastre_words"("Title" collate "C"), '') || coalesce("cadastre_words"("Remarks" collate "C"), '')), $1::text) order by "Key" collate "C" asc limit $2
-- ["{\"kind\":\"Without\",\"operand\":{\"kind\":\"Phrase\",\"words\":\" sea \"},\"excluded\":{\"kind\":\"Any\",\"operands\":[{\"kind\":\"Phrase\",\"words\":\" pool \"},{\"kind\":\"Phrase\",\"words\":\" house \"}]}}",10]

-- search sea NOT (pool OR house), with an index
select "Key" as "Key" from "home" where ("words" @> string_to_array($1::text, ' ') and not ("words" @> string_to_array($2::text, ' ') or "words" @> string_to_array($3::text, ' '))) order by "Key" collate "C" asc limit $4
-- ["sea","pool","house",10]

-- search sea OR NOT pool
select "Key" as "Key" from "home" where not "cadastre_search"((coalesce("cadastre_words"("Title" collate "C"), '') || coalesce("cadastre_words"("Remarks" collate "C"), '')), $1::text) order by "Key" collate "C" asc limit $2
-- ["{\"kind\":\"Without\",\"operand\":{\"kind\":\"Phrase\",\"words\":\" pool \"},\"excluded\":{\"kind\":\"Phrase\",\"words\":\" sea \"}}",10]

-- search sea OR NOT pool, with an index
select "Key" as "Key" from "home" where not ("words" @> string_to_array($1::text, ' ') and not "words" @> string_to_array($2::text, ' ')) order by "Key" collate "C" asc limit $3
-- ["pool","sea",10]
