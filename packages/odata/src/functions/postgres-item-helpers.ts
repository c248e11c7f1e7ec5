const header = "immutable strict parallel safe";

/** The items of a JSON array as rows; of anything else, none. */
const elements = `
create or replace function cadastre_elements(jsonb) returns setof jsonb language sql immutable parallel safe as $$
  select value from jsonb_array_elements(case when jsonb_typeof($1) = 'array' then $1 else '[]' end) as item(value)
$$`;

/** An item that is text. */
const text = `
create or replace function cadastre_item_text(jsonb) returns text language plpgsql ${header} as $$
begin
  return case when jsonb_typeof($1) = 'string' then $1 #>> '{}' end;
end
$$`;

const boolean = `
create or replace function cadastre_item_boolean(jsonb) returns boolean language plpgsql ${header} as $$
begin
  return case when jsonb_typeof($1) = 'boolean' then $1::boolean end;
end
$$`;

/** A number may be written as text, so that it keeps every digit. */
const decimal = `
create or replace function cadastre_item_decimal(jsonb) returns numeric language plpgsql ${header} as $$
begin
  return case jsonb_typeof($1) when 'number' then $1::numeric
    when 'string' then cadastre_read_decimal($1 #>> '{}') end;
end
$$`;

const integer = `
create or replace function cadastre_item_integer(jsonb, bigint, bigint) returns bigint
language plpgsql ${header} as $$
declare
  found constant numeric := case jsonb_typeof($1) when 'number' then $1::numeric
    when 'string' then cadastre_read_integer($1 #>> '{}') end;
begin
  return case when found = trunc(found) then cadastre_integer(found, $2, $3) end;
end
$$`;

const double = `
create or replace function cadastre_item_double(jsonb) returns float8 language plpgsql ${header} as $$
begin
  return case jsonb_typeof($1) when 'number' then cadastre_double($1::numeric)
    when 'string' then cadastre_read_double($1 #>> '{}') end;
end
$$`;

/** Items of collections, which are JSON arrays. What is no value of the type is null. */
export const itemHelpers: readonly string[] = [elements, text, boolean, decimal, integer, double];
