-- Functions that read the items of collections in the form of JSON arrays. They return null for an
-- item that is not a value of the type.

-- Returns the items of a JSON array as rows; no rows for anything else.
create or replace function cadastre_elements(jsonb) returns setof jsonb language sql immutable parallel safe as $$
  select value from jsonb_array_elements(case when jsonb_typeof($1) = 'array' then $1 else '[]' end) as item(value)
$$;

-- The text of a string item.
create or replace function cadastre_item_text(jsonb) returns text language plpgsql immutable strict parallel safe as $$
begin
  return case when jsonb_typeof($1) = 'string' then $1 #>> '{}' end;
end
$$;

create or replace function cadastre_item_boolean(jsonb) returns boolean language plpgsql immutable strict parallel safe as $$
begin
  return case when jsonb_typeof($1) = 'boolean' then $1::boolean end;
end
$$;

-- A number may be written as a string, to preserve all digits.
create or replace function cadastre_item_decimal(jsonb) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  return case jsonb_typeof($1) when 'number' then $1::numeric
    when 'string' then cadastre_read_decimal($1 #>> '{}') end;
end
$$;

create or replace function cadastre_item_integer(jsonb, bigint, bigint) returns bigint
language plpgsql immutable strict parallel safe as $$
declare
  found constant numeric := case jsonb_typeof($1) when 'number' then $1::numeric
    when 'string' then cadastre_read_integer($1 #>> '{}') end;
begin
  return case when found = trunc(found) then cadastre_integer(found, $2, $3) end;
end
$$;

create or replace function cadastre_item_double(jsonb) returns float8 language plpgsql immutable strict parallel safe as $$
begin
  return case jsonb_typeof($1) when 'number' then cadastre_double($1::numeric)
    when 'string' then cadastre_read_double($1 #>> '{}') end;
end
$$;
