-- Functions over text, and two over a number and a date.

create or replace function cadastre_substring(text, bigint) returns text language sql immutable strict parallel safe as $$
  select substr($1, (1 + case when $2 >= 0 then least($2, char_length($1))
    else greatest(char_length($1) + greatest($2, -2147483648), 0) end)::int)
$$;

create or replace function cadastre_substring(text, bigint, bigint) returns text language sql immutable strict parallel safe as $$
  select case when $3 >= 0 then left(cadastre_substring($1, $2), least($3, 2147483647)::int) end
$$;

create or replace function cadastre_round(float8) returns float8 language sql immutable strict parallel safe as $$
  select 0.0::float8 + case when abs($1 - trunc($1)) >= 0.5 then trunc($1) + sign($1) else trunc($1) end
$$;

-- Converts PostgreSQL's years to OData's: the year before 1 is 0 in OData, and 1 BC (-1) in
-- PostgreSQL.
create or replace function cadastre_year(date) returns bigint language sql immutable strict parallel safe as $$
  select case when isfinite($1)
    then (extract(year from $1) + case when extract(year from $1) < 0 then 1 else 0 end)::bigint end
$$;

-- The case mappings use the bundled tables. `translate` compares each character with the whole table,
-- so it is called only once for each distinct character beyond ASCII.
create or replace function cadastre_tolower(text) returns text language sql immutable strict parallel safe as $$
  select case when octet_length($1) = char_length($1) then lower($1 collate "C") else (
    select translate(lower($1 collate "C"), others, translate(others, '${lowerCaseFrom}', '${lowerCaseTo}'))
    from (
      select coalesce(string_agg(distinct one collate "C", ''), '') as others
      from string_to_table(regexp_replace($1 collate "C", '[\u0001-\u007f]+', '', 'g'), null) as one
    ) as beyond) end
$$;

create or replace function cadastre_toupper(text) returns text language sql immutable strict parallel safe as $$
  select case when octet_length($1) = char_length($1) then upper($1 collate "C") else (
    select translate(upper($1 collate "C"), others, translate(others, '${upperCaseFrom}', '${upperCaseTo}'))
    from (
      select coalesce(string_agg(distinct one collate "C", ''), '') as others
      from string_to_table(regexp_replace($1 collate "C", '[\u0001-\u007f]+', '', 'g'), null) as one
    ) as beyond) end
$$;

create or replace function cadastre_foldcase(text) returns text language sql immutable strict parallel safe as $$
  select case when octet_length($1) = char_length($1) then lower($1 collate "C") else (
    select translate(lower($1 collate "C"), others, translate(others, '${foldCaseFrom}', '${foldCaseTo}'))
    from (
      select coalesce(string_agg(distinct one collate "C", ''), '') as others
      from string_to_table(regexp_replace($1 collate "C", '[\u0001-\u007f]+', '', 'g'), null) as one
    ) as beyond) end
$$;

-- The underlying number of an enumeration value. The numbers of flags have a member with an empty name.
create or replace function cadastre_enumvalue(given text, numbers text) returns bigint language sql immutable strict parallel safe as $$
  select case when ($2::jsonb) ->> '' is null then (($2::jsonb) ->> $1)::bigint else (
    select coalesce(sum(number::bigint), 0)::bigint from jsonb_each_text($2::jsonb) as member(name, number)
    where name = any (string_to_array($1, ','))) end
$$;
