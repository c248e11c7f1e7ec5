-- Functions that parse the text of a literal (or a string item of a JSON array). They return null if
-- the text is not a literal of the type.

create or replace function cadastre_read_integer(given text) returns numeric language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  part := regexp_match(given collate "C", '^([+-]?)0*([0-9]*)$');
  -- longer than any integer of a type
  return case when given ~ '[0-9]' and length(part[2]) <= 20 then (part[1] || '0' || part[2])::numeric end;
end
$$;

create or replace function cadastre_read_decimal(given text) returns numeric language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  part := regexp_match(given collate "C", '^[+-]?([0-9]+)(?:\.([0-9]+))?(?:[eE][+-]?[0-9]{1,4})?$');
  return case when length(part[1]) <= 30000 and coalesce(length(part[2]), 0) <= 6000 then given::numeric end;
end
$$;

create or replace function cadastre_read_double(given text) returns float8 language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  if given in ('INF', '-INF') then return replace(given, 'INF', 'Infinity')::float8; end if;
  return cadastre_double(cadastre_read_decimal(given));
end
$$;

create or replace function cadastre_read_boolean(given text) returns boolean language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  return case lower(given collate "C") when 'true' then true when 'false' then false end;
end
$$;

-- Days from 1970-01-01 to a date in the Gregorian calendar, for years of at most six digits.
create or replace function cadastre_civil(year int, month int, day int) returns int language plpgsql immutable strict parallel safe as $$
declare
  -- a year that begins in March, 400,000 years later
  moved constant int := year + 400000 - case when month <= 2 then 1 else 0 end;
  is_leap constant boolean := year % 4 = 0 and (year % 100 <> 0 or year % 400 = 0);
begin
  if month not between 1 and 12 or day not between 1 and (case
    when month = 2 then case when is_leap then 29 else 28 end
    when month in (4, 6, 9, 11) then 30 else 31 end) then return null; end if;
  return moved * 365 + moved / 4 - moved / 100 + moved / 400
    + (153 * (month + case when month > 2 then -3 else 9 end) + 2) / 5 + day - 1 - 719468 - 146097000;
end
$$;

create or replace function cadastre_read_days(given text) returns int language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  part := regexp_match(given collate "C", '^(-?(?:0[0-9]{3}|[1-9][0-9]{3,5}))-([0-9]{2})-([0-9]{2})$');
  return cadastre_civil(part[1]::int, part[2]::int, part[3]::int);
end
$$;

create or replace function cadastre_read_date(given text) returns date language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  found int;
begin
  found := cadastre_read_days(given);
  return case when found between -719162 and 2932896 then date '1970-01-01' + found end;
end
$$;

create or replace function cadastre_read_time(given text) returns numeric language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  part := regexp_match(given collate "C", '^([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,12}))?)?$');
  if part is null or part[1] > '23' or part[2] > '59' or part[3] > '59' then return null; end if;
  return ((part[1]::int * 60 + part[2]::int) * 60 + coalesce(part[3], '0')::int) * numeric '1000000000000'
    + rpad(coalesce(part[4], ''), 12, '0')::numeric;
end
$$;

create or replace function cadastre_read_instant(given text) returns numeric language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  ahead int;
begin
  part := regexp_match(given collate "C", '^([^tT]*)[tT](.*?)(?:[zZ]|([+-])([0-9]{2}):([0-9]{2}))$');
  if part is null or part[4] > '14' or part[5] > '59' then return null; end if;
  ahead := coalesce((part[3] || '1')::int * (part[4]::int * 60 + part[5]::int), 0);
  return cadastre_instant(cadastre_read_days(part[1]) * numeric '86400000000000000'
    + cadastre_read_time(part[2]) - ahead * 60000000000000);
end
$$;

create or replace function cadastre_read_duration(given text) returns numeric language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  part := regexp_match(given collate "C", '^([+-])?P(?=[0-9]|T[0-9])(?:([0-9]{1,255})D)?(?:T(?=[0-9])'
    || '(?:([0-9]{1,255})H)?(?:([0-9]{1,255})M)?(?:([0-9]{1,255})(?:\.([0-9]{1,12}))?S)?)?$', 'i');
  return (coalesce(part[1], '') || '1')::int * (((coalesce(part[2], '0')::numeric * 24
    + coalesce(part[3], '0')::numeric) * 60 + coalesce(part[4], '0')::numeric) * 60000000000000
    + coalesce(part[5], '0')::numeric * 1000000000000 + rpad(coalesce(part[6], ''), 12, '0')::numeric
    * case when part is null then null else 1 end);
end
$$;

create or replace function cadastre_read_guid(given text) returns uuid language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  return case when given ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then given::uuid end;
end
$$;

create or replace function cadastre_read_binary(given text) returns text language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  
begin
  return case when given ~ '^([0-9A-Za-z_-]{4})*([0-9A-Za-z_-][AQgw](==)?|[0-9A-Za-z_-]{2}[AEIMQUYcgkosw048]=?)?$' then rtrim(given, '=') end;
end
$$;
