-- Functions over dates in the server's own type, and over instants, times of day and durations in
-- picoseconds.

-- Picoseconds since 1970. They are exact, whereas the server's own arithmetic is limited to
-- microseconds.
create or replace function cadastre_picoseconds(timestamptz) returns numeric language sql immutable strict parallel safe as $$
  select extract(epoch from $1 at time zone 'UTC') * 1000000000000
$$;

-- Picoseconds since midnight.
create or replace function cadastre_picoseconds(time) returns numeric language sql immutable strict parallel safe as $$
  select extract(epoch from $1) * 1000000000000
$$;

-- Whole days, rounded towards the past.
create or replace function cadastre_days(numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  return div($1 - case when mod($1, numeric '86400000000000000') < 0 then numeric '86400000000000000' else 0 end, numeric '86400000000000000');
end
$$;

-- The date of an instant in UTC, within the range of the server's dates.
create or replace function cadastre_date(numeric) returns date language plpgsql immutable strict parallel safe as $$
begin
  return case when $1 between -2440000 * numeric '86400000000000000' and 2100000000 * numeric '86400000000000000'
    then date '1970-01-01' + cadastre_days($1)::int end;
end
$$;

-- The time of day of an instant in UTC.
create or replace function cadastre_time(numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  return case when abs($1) < 'Infinity' then $1 - cadastre_days($1) * numeric '86400000000000000' end;
end
$$;

-- Checks the range of an instant before and after arithmetic; null outside of the years 1 to 9999.
create or replace function cadastre_instant(numeric) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  return case when $1 >= -719162 * numeric '86400000000000000' and $1 < 2932897 * numeric '86400000000000000' then $1 end;
end
$$;

-- Adds the whole days of a duration to a date; null outside of the years 1 to 9999.
create or replace function cadastre_sum(date, numeric) returns date language plpgsql immutable strict parallel safe as $$
declare
  moved numeric;
begin
  if $1 not between '0001-01-01' and '9999-12-31' then return null; end if;
  moved := $1 - date '1970-01-01' + cadastre_days($2);
  return case when moved between -719162 and 2932896 then date '1970-01-01' + moved::int end;
end
$$;

create or replace function cadastre_difference(date, date) returns numeric language plpgsql immutable strict parallel safe as $$
begin
  return case when $1 between '0001-01-01' and '9999-12-31' and $2 between '0001-01-01' and '9999-12-31'
    then ($1 - $2) * numeric '86400000000000000' end;
end
$$;
