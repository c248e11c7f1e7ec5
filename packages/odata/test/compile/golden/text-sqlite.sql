-- startswith(Remarks,'Sea')
select "Key" as "Key" from "home" where ("Remarks" >= ? and "Remarks" < ?) order by "Key" limit +?
-- ["Sea","Seb",10]

-- startswith(Remarks,'􏿿')
select "Key" as "Key" from "home" where ("Remarks" >= ?) order by "Key" limit +?
-- ["􏿿",10]

-- startswith(Remarks,'')
select "Key" as "Key" from "home" where ((instr("Remarks", ?) = 1)) order by "Key" limit +?
-- ["",10]

-- not startswith(Remarks,'a')
select "Key" as "Key" from "home" where not ("Remarks" >= ? and "Remarks" < ?) order by "Key" limit +?
-- ["a","b",10]

-- startswith(concat(Title,Remarks),'a')
select "Key" as "Key" from "home" where ((instr(("Title" || "Remarks"), ?) = 1)) order by "Key" limit +?
-- ["a",10]

-- Title eq 'York', ignoring case
select "Key" as "Key" from "home" where ("odata_foldcase_string"("Title")) = ? order by "Key" limit +?
-- ["york",10]

-- Title eq 'York', ignoring case, folded titles stored
select "Key" as "Key" from "home" where "TitleFolded" = ? order by "Key" limit +?
-- ["york",10]

-- Remarks ne 'York', ignoring case
select "Key" as "Key" from "home" where ("odata_foldcase_string"("Remarks")) is not ? order by "Key" limit +?
-- ["york",10]

-- Remarks ne 'York', ignoring case, folded titles stored
select "Key" as "Key" from "home" where ("odata_foldcase_string"("Remarks")) is not ? order by "Key" limit +?
-- ["york",10]

-- Title in ('York',null), ignoring case
select "Key" as "Key" from "home" where (("odata_foldcase_string"("Title")) in (?) or ("odata_foldcase_string"("Title")) is null) order by "Key" limit +?
-- ["york",10]

-- Title in ('York',null), ignoring case, folded titles stored
select "Key" as "Key" from "home" where ("TitleFolded" in (?) or "TitleFolded" is null) order by "Key" limit +?
-- ["york",10]

-- Title gt 'York', ignoring case
select "Key" as "Key" from "home" where "Title" > ? order by "Key" limit +?
-- ["York",10]

-- Title gt 'York', ignoring case, folded titles stored
select "Key" as "Key" from "home" where "Title" > ? order by "Key" limit +?
-- ["York",10]

-- Title eq null, ignoring case
select "Key" as "Key" from "home" where "Title" is null order by "Key" limit +?
-- [10]

-- Title eq null, ignoring case, folded titles stored
select "Key" as "Key" from "home" where "Title" is null order by "Key" limit +?
-- [10]

-- contains(Title,'New') or startswith(Remarks,'New') or endswith(Remarks,'York'), ignoring case
select "Key" as "Key" from "home" where (((instr(("odata_foldcase_string"("Title")), ?) > 0)) or (("odata_foldcase_string"("Remarks")) >= ? and ("odata_foldcase_string"("Remarks")) < ?) or (("odata_endswith_string_string"(("odata_foldcase_string"("Remarks")), ?)))) order by "Key" limit +?
-- ["new","new","nex","york",10]

-- contains(Title,'New') or startswith(Remarks,'New') or endswith(Remarks,'York'), ignoring case, folded titles stored
select "Key" as "Key" from "home" where (((instr("TitleFolded", ?) > 0)) or (("odata_foldcase_string"("Remarks")) >= ? and ("odata_foldcase_string"("Remarks")) < ?) or (("odata_endswith_string_string"(("odata_foldcase_string"("Remarks")), ?)))) order by "Key" limit +?
-- ["new","new","nex","york",10]

-- search sea
select "Key" as "Key" from "home" where "odata_search_string_string"((coalesce("odata_words_string"("Title"), '') || coalesce("odata_words_string"("Remarks"), '')), ?) order by "Key" limit +?
-- ["{\"kind\":\"Phrase\",\"words\":\" sea \"}",10]

-- search sea, with an index
select "Key" as "Key" from "home" where "home".rowid in (select rowid from "home words" where "home words" match ?) order by "Key" limit +?
-- ["{\"the title\" \"the \"\"remarks\"\"\"} : (\"sea\")",10]

-- search "sea view"
select "Key" as "Key" from "home" where "odata_search_string_string"((coalesce("odata_words_string"("Title"), '') || coalesce("odata_words_string"("Remarks"), '')), ?) order by "Key" limit +?
-- ["{\"kind\":\"Phrase\",\"words\":\" sea view \"}",10]

-- search "sea view", with an index
select "Key" as "Key" from "home" where "home".rowid in (select rowid from "home words" where "home words" match ?) order by "Key" limit +?
-- ["{\"the title\" \"the \"\"remarks\"\"\"} : (\"sea view\")",10]

-- search sea view OR pool
select "Key" as "Key" from "home" where "odata_search_string_string"((coalesce("odata_words_string"("Title"), '') || coalesce("odata_words_string"("Remarks"), '')), ?) order by "Key" limit +?
-- ["{\"kind\":\"Any\",\"operands\":[{\"kind\":\"All\",\"operands\":[{\"kind\":\"Phrase\",\"words\":\" sea \"},{\"kind\":\"Phrase\",\"words\":\" view \"}]},{\"kind\":\"Phrase\",\"words\":\" pool \"}]}",10]

-- search sea view OR pool, with an index
select "Key" as "Key" from "home" where "home".rowid in (select rowid from "home words" where "home words" match ?) order by "Key" limit +?
-- ["{\"the title\" \"the \"\"remarks\"\"\"} : (((\"sea\" AND \"view\") OR \"pool\"))",10]

-- search sea NOT (pool OR house)
select "Key" as "Key" from "home" where "odata_search_string_string"((coalesce("odata_words_string"("Title"), '') || coalesce("odata_words_string"("Remarks"), '')), ?) order by "Key" limit +?
-- ["{\"kind\":\"Without\",\"operand\":{\"kind\":\"Phrase\",\"words\":\" sea \"},\"excluded\":{\"kind\":\"Any\",\"operands\":[{\"kind\":\"Phrase\",\"words\":\" pool \"},{\"kind\":\"Phrase\",\"words\":\" house \"}]}}",10]

-- search sea NOT (pool OR house), with an index
select "Key" as "Key" from "home" where "home".rowid in (select rowid from "home words" where "home words" match ?) order by "Key" limit +?
-- ["{\"the title\" \"the \"\"remarks\"\"\"} : ((\"sea\" NOT (\"pool\" OR \"house\")))",10]

-- search sea OR NOT pool
select "Key" as "Key" from "home" where not "odata_search_string_string"((coalesce("odata_words_string"("Title"), '') || coalesce("odata_words_string"("Remarks"), '')), ?) order by "Key" limit +?
-- ["{\"kind\":\"Without\",\"operand\":{\"kind\":\"Phrase\",\"words\":\" pool \"},\"excluded\":{\"kind\":\"Phrase\",\"words\":\" sea \"}}",10]

-- search sea OR NOT pool, with an index
select "Key" as "Key" from "home" where not "home".rowid in (select rowid from "home words" where "home words" match ?) order by "Key" limit +?
-- ["{\"the title\" \"the \"\"remarks\"\"\"} : ((\"pool\" NOT \"sea\"))",10]
