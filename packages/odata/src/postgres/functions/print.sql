-- Functions that print a value as the text of its literal.

-- Prints a number as ECMAScript does.
create or replace function cadastre_text(float8) returns text language plpgsql immutable strict parallel safe as $$
declare
  size constant numeric := abs(cadastre_number($1));
  minus constant text := case when $1 < 0 then '-' else '' end;
  digits text;
  place int;
begin
  if size = 'Infinity' then return minus || 'INF'; end if;
  if size = 'NaN' then return 'NaN'; end if;
  if size = 0 then return '0'; end if;
  if size >= 1e-6 and size < 1e21 then return minus || trim_scale(size)::text; end if;
  digits := btrim(replace(size::text, '.', ''), '0');
  place := case when size >= 1 then length(trunc(size)::text) - 1
    else length(ltrim(split_part(size::text, '.', 2), '0')) - scale(size) - 1 end;
  return minus || left(digits, 1) || case when length(digits) > 1 then '.' else '' end || substr(digits, 2)
    || 'e' || case when place < 0 then '-' else '+' end || abs(place);
end
$$;

create or replace function cadastre_text(date) returns text language plpgsql immutable strict parallel safe as $$
declare
  year constant text := abs(cadastre_year($1))::text;
begin
  return case when cadastre_year($1) < 0 then '-' else '' end || lpad(year, greatest(length(year), 4), '0')
    || '-' || lpad(extract(month from $1)::text, 2, '0') || '-' || lpad(extract(day from $1)::text, 2, '0');
end
$$;

-- Prints a time of day with all fractional digits of the value, and at least the given number of
-- them.
create or replace function cadastre_text_of_time(numeric, int) returns text language plpgsql immutable strict parallel safe as $$
declare
  fraction constant text := rpad(rtrim(lpad(mod($1, 1000000000000)::bigint::text, 12, '0'), '0'), greatest($2,
    length(rtrim(lpad(mod($1, 1000000000000)::bigint::text, 12, '0'), '0'))), '0');
  seconds constant bigint := div($1, 1000000000000);
begin
  return concat_ws(':', lpad((seconds / 3600)::text, 2, '0'), lpad((seconds / 60 % 60)::text, 2, '0'),
    lpad((seconds % 60)::text, 2, '0')) || case when fraction = '' then '' else '.' || fraction end;
end
$$;

create or replace function cadastre_text_of_instant(numeric) returns text language plpgsql immutable strict parallel safe as $$
begin
  return cadastre_text(cadastre_date($1)) || 'T' || cadastre_text_of_time(cadastre_time($1), 3) || 'Z';
end
$$;

create or replace function cadastre_text_of_duration(numeric) returns text language plpgsql immutable strict parallel safe as $$
declare
  seconds constant numeric := div(abs($1), 1000000000000);
  fraction constant text := rtrim(lpad(trunc(mod(abs($1), 1000000000000))::text, 12, '0'), '0');
  clock text;
begin
  if abs($1) >= 'Infinity' then return null; end if;
  if $1 = 0 then return 'PT0S'; end if;
  clock := coalesce(nullif(mod(div(seconds, 3600), 24), 0)::text || 'H', '')
    || coalesce(nullif(mod(div(seconds, 60), 60), 0)::text || 'M', '')
    || case when mod(seconds, 60) = 0 and fraction = '' then ''
      else mod(seconds, 60)::text || case when fraction = '' then '' else '.' || fraction end || 'S' end;
  return case when $1 < 0 then '-P' else 'P' end || coalesce(nullif(div(seconds, 86400), 0)::text || 'D', '')
    || case when clock = '' then '' else 'T' || clock end;
end
$$;
