-- Functions over collections in the form of JSON arrays.

-- Converts a JSON array to an SQL array, whose slices can be compared as a whole; empty for
-- anything but a JSON array.
create or replace function cadastre_items(jsonb) returns jsonb[] language sql immutable strict parallel safe as $$
  select array(select value from jsonb_array_elements(
    case when jsonb_typeof($1) = 'array' then $1 else '[]' end) with ordinality as item(value, place) order by place)
$$;

create or replace function cadastre_length(jsonb) returns bigint language sql immutable strict parallel safe as $$
  select case when jsonb_typeof($1) = 'array' then jsonb_array_length($1)::bigint end
$$;

create or replace function cadastre_startswith(jsonb, jsonb) returns boolean language sql immutable strict parallel safe as $$
  select whole[1:cardinality(part)] = part
  from (values (cadastre_items($1), cadastre_items($2))) as given(whole, part)
$$;

create or replace function cadastre_endswith(jsonb, jsonb) returns boolean language sql immutable strict parallel safe as $$
  select cardinality(whole) >= cardinality(part) and whole[cardinality(whole) - cardinality(part) + 1:] = part
  from (values (cadastre_items($1), cadastre_items($2))) as given(whole, part)
$$;

create or replace function cadastre_indexof(jsonb, jsonb) returns bigint language sql immutable strict parallel safe as $$
  select coalesce((
    select place::bigint from generate_series(0, cardinality(whole) - cardinality(part)) as place
    where whole[place + 1:place + cardinality(part)] = part order by place limit 1), -1)
  from (values (cadastre_items($1), cadastre_items($2))) as given(whole, part)
$$;

create or replace function cadastre_substring(jsonb, bigint) returns jsonb language sql immutable strict parallel safe as $$
  select to_jsonb(whole[(1 + case when $2 >= 0 then least($2, cardinality(whole))
    else greatest(cardinality(whole) + greatest($2, -2147483648), 0) end)::int:])
  from (values (cadastre_items($1))) as given(whole)
$$;

create or replace function cadastre_substring(jsonb, bigint, bigint) returns jsonb language sql immutable strict parallel safe as $$
  select case when $3 >= 0 then to_jsonb(rest[1:least($3, 2147483646)::int]) end
  from (values (cadastre_items(cadastre_substring($1, $2)))) as given(rest)
$$;

create or replace function cadastre_hassubset(jsonb, jsonb) returns boolean language sql immutable strict parallel safe as $$
  select not exists (select unnest(cadastre_items($2)) except all select unnest(cadastre_items($1)))
$$;

create or replace function cadastre_hassubsequence(jsonb, jsonb) returns boolean
language plpgsql immutable strict parallel safe as $$
declare
  part jsonb[] := cadastre_items($2);
  wanted int := 1;
  item jsonb;
begin
  foreach item in array cadastre_items($1) loop
    if wanted <= cardinality(part) and item = part[wanted] then wanted := wanted + 1; end if;
  end loop;
  return wanted > cardinality(part);
end
$$;
